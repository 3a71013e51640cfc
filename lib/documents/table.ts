import { z } from 'zod';
import { cellTypes } from '../tables/names.ts';
import type { Cell, CellType } from '../tables/names.ts';
import { withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { date, instant } from './shared.ts';

const column = z
  .strictObject({
    name: z.string().describe('Its name, in snake case. Names never change; new columns come at the end.'),
    type: z
      .enum(cellTypes)
      .describe('The type of its cells; any cell may be null. date: YYYY-MM-DD. timestamp: ISO 8601, UTC.'),
  })
  .meta({ id: 'TableColumn', description: 'A column of a table.' });

const shape = z.strictObject({
  columns: z.array(column).min(1).describe('The columns; the first two are brand_id and brand_name.'),
  rows: z
    .array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
    .describe(
      'The rows, with one cell for each column: by brand as in listBrands, then as in the document that they come from.',
    ),
});

/** The `data` of a table document (methodology, The week and the tables). */
export type TableDocument = z.infer<typeof shape>;

const isOfType: Record<CellType, (cell: Cell) => boolean> = {
  text: (cell) => typeof cell === 'string',
  integer: (cell) => Number.isSafeInteger(cell),
  number: (cell) => typeof cell === 'number',
  boolean: (cell) => typeof cell === 'boolean',
  date: (cell) => date.safeParse(cell).success,
  timestamp: (cell) => instant.safeParse(cell).success,
};

const cellsFit: Rule<TableDocument> = ({ columns, rows }, refuse) => {
  for (const [index, row] of rows.entries()) {
    if (row.length !== columns.length) refuse(['rows', index], 'must have one cell for each column');
    const at = columns.findIndex(
      ({ type }, place) => (row[place] ?? null) !== null && !isOfType[type](row[place]!),
    );
    if (at !== -1) refuse(['rows', index, at], `must be null or of the type ${columns[at]!.type}`);
  }
};

export const tableSchema = withRules(shape, cellsFit).meta({
  id: 'Table',
  description: 'A table over all brands of the workspace.',
});
