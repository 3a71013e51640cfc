/** What a path can take: its name in each language, and where its value comes from. */
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
];

export function parametersOf(path) {
  return parameters.filter(({ name }) => path.includes(`{${name}}`));
}
