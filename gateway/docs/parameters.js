/** The path parameters: the name in each language, and a hint where to get the value. */
export const parameters = [
  {
    name: 'snapshotId',
    label: 'Snapshot id',
    shell: 'SNAPSHOT_ID',
    python: 'snapshot_id',
    hint: 'an id from the list of snapshots',
  },
  {
    name: 'brandId',
    label: 'Brand id',
    shell: 'BRAND_ID',
    python: 'brand_id',
    hint: 'an id from the list of brands',
  },
  { name: 'table', label: 'Table', shell: 'TABLE', python: 'table', hint: 'visibility' },
];

export function parametersOf(path) {
  return parameters.filter(({ name }) => path.includes(`{${name}}`));
}
