import { Failure } from '../../../lib/failure.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { execute } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { selectRows, sqlNextTo } from '../../relations.ts';
import type { Missing } from '../records/records.ts';

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

/** As `unknown_engine` of helpers.sql begins it. */
const ON_PURPOSE = 'skipped on purpose: ';

/** @throws Failure if more answers were skipped than are allowed, those that were skipped on purpose apart. */
export function refuseSkipped(read: number, refusals: readonly Refusal[], allowed: number): void {
  const skipped = refusals.filter(({ reason }) => !reason.startsWith(ON_PURPOSE));
  const count = skipped.reduce((sum, { records }) => sum + records, 0);
  if (count * 100 <= allowed * read) return;
  throw new Failure(`${count} of ${read} answers were skipped, more than ${allowed} %; nothing is written`, {
    details: [...linesOf(skipped), ...adviceOf(skipped)],
  });
}

/** @throws Failure if more answers are missing from the export than are allowed. */
export function refuseMissing(read: number, missing: readonly Missing[], allowed: number): void {
  const count = missing.reduce((sum, { answers }) => sum + (answers ?? 0), 0);
  const isUnknown = missing.some(({ answers }) => answers === null);
  if (isUnknown ? allowed === 100 : count * 100 <= allowed * (read + count)) return;
  const number = isUnknown ? 'nobody knows how many' : String(count);
  const details = missing.map(({ reason, answers }) => `${reason}${answers === null ? '' : ` (${answers})`}`);
  throw new Failure(`the export is incomplete: answers that are not in it: ${number}; nothing is written`, {
    details: [
      ...details,
      'fetch the rest, or allow it with --allow-missing PERCENT (100 for an unknown number)',
    ],
  });
}

const UNKNOWN = 'engine is unknown: ';

/** How to mend what was skipped: the options to paste, for unknown engines. */
function adviceOf(skipped: readonly Refusal[]): string[] {
  const names = skipped.flatMap(({ reason }) =>
    reason.startsWith(UNKNOWN) ? [reason.slice(UNKNOWN.length)] : [],
  );
  const engines = names.map((name) => `--engine '${name.replaceAll("'", String.raw`'\''`)}=skip'`);
  return [
    ...(names.length === 0
      ? []
      : [
          `to skip these engines on purpose: ${engines.join(' ')}`,
          `or map one, with an engine in place of skip: ${engineSlugs.join(', ')}`,
        ]),
    '--allow-skipped PERCENT allows more',
  ];
}
