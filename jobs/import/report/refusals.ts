import { Failure } from '../../../lib/failure.ts';
import { execute } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { selectRows, sqlNextTo } from '../../relations.ts';

/** Why some records are not imported, and where the first three of them are: file, row, and what the cell has. */
export interface Refusal {
  reason: string;
  records: number;
  first: string[];
}

/** @param query of rows with `reason`, `source_file`, `source_row`, `cell`; null where it is not known. */
export async function refusalsOf(connection: Connection, query: string): Promise<Refusal[]> {
  await execute(connection, `create or replace temp view given_refusals as ${query}`);
  type Row = Omit<Refusal, 'first'> & { first: string };
  const rows = await selectRows<Row>(connection, import.meta, 'refusals');
  return rows.map(({ first, ...row }) => ({ ...row, first: JSON.parse(first) as string[] }));
}

/** One line each. */
export function linesOf(refusals: readonly Refusal[]): string[] {
  return refusals.map(({ reason, records, first }) => {
    const more = records > first.length && first.length > 0 ? ' …' : '';
    return `${reason} (${records})${first.length === 0 ? '' : ': '}${first.join('; ')}${more}`;
  });
}

/** @throws Failure if a row lacks a cell that it needs, or has one that cannot be read: a person has to mend it. */
export async function refuseProblems(connection: Connection): Promise<void> {
  const problems = await refusalsOf(
    connection,
    'select unnest(problems, max_depth := 2), source_file, source_row from staged',
  );
  if (problems.length === 0) return;
  const count = problems.reduce((sum, { records }) => sum + records, 0);
  throw new Failure(`cells to mend, or rows to delete: ${count}; nothing is written`, {
    details: linesOf(problems),
  });
}

/** What is not in the drop, apart from skipped answers: rows such as a total, unreadable citations, names of several. */
export async function leftOutOf(connection: Connection): Promise<Refusal[]> {
  return await refusalsOf(connection, await sqlNextTo(import.meta, 'left-out'));
}
