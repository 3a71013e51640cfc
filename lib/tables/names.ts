/** The tables of the API and of `export`, in the order of the sheets of a workbook. */
export const tableNames = [
  'brands',
  'visibility',
  'trend',
  'events',
  'results',
  'changes',
  'stability',
  'stability_names',
  'share_of_voice',
  'share_of_voice_by_engine',
  'sources',
  'own_site',
  'silent',
  'prompts',
  'timeline',
] as const;
export type TableName = (typeof tableNames)[number];

/** For `export` only: they repeat large documents. */
const ofExport = ['results', 'stability', 'stability_names', 'timeline'] as const satisfies TableName[];

export type ApiTable = Exclude<TableName, (typeof ofExport)[number]>;

/** The tables that are published as documents. */
export const apiTables = tableNames.filter(
  (name) => !(ofExport as readonly string[]).includes(name),
) as ApiTable[];

export function isApiTable(name: string): name is ApiTable {
  return (apiTables as string[]).includes(name);
}

/** Types of columns. In JSON, dates (`2026-11-16`) and timestamps (`2026-11-16T06:00:00.000Z`, UTC) are texts. */
export const cellTypes = ['text', 'integer', 'number', 'boolean', 'date', 'timestamp'] as const;
export type CellType = (typeof cellTypes)[number];
export type Cell = string | number | boolean | null;
