import { Failure } from '../../../lib/failure.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import type { Connection } from '../../duckdb.ts';
import type { findingSchema } from '../../lake/provenance.ts';
import { selectRows } from '../../relations.ts';
import type { z } from 'zod';

/** Why some records have to be mended, or are not in the drop. */
export interface Finding extends z.infer<typeof findingSchema> {
  /** Where the first three are: file, row, and what the cell has. */
  first: string[];
}

/** What was found so far, the most urgent first. */
export async function findingsOf(connection: Connection): Promise<Finding[]> {
  return await selectRows<Finding>(connection, import.meta, 'findings');
}

const UNKNOWN_NUMBER = 'nobody knows how many';

/** One line for each. */
export function linesOf(findings: readonly Finding[]): string[] {
  return findings.map(({ reason, records, first }) => {
    const line = `${reason} (${records ?? UNKNOWN_NUMBER})`;
    if (first.length === 0) return line;
    const more = records !== null && records > first.length ? ' …' : '';
    return `${line}: ${first.join('; ')}${more}`;
  });
}

interface Limits {
  /** Answers that the mapping gave, and those that were skipped for what is wrong with them. */
  read: number;
  skipped: number;
  /** In percent. */
  allowSkipped: number;
  allowMissing: number;
}

/** What stops the import before an answer is made. @param also lines on what could not be looked at */
export function failureToMend(findings: readonly Finding[], also: readonly string[]): Failure {
  const wrong = findings.filter(({ kind }) => kind === 'to mend');
  return new Failure(`${toMendText(wrong)}; nothing is written`, {
    details: [...linesOf(wrong), ...also, ...engineAdvice(wrong)],
  });
}

function toMendText(findings: readonly Finding[]): string {
  return `cells to mend, or rows to delete: ${sumOf(findings)}`;
}

/** @throws Failure that names everything that has to be mended, or is more than is allowed. */
export function refuseUnlessAllowed(
  findings: readonly Finding[],
  { read, skipped, allowSkipped, allowMissing }: Limits,
): void {
  const ofKind = (kind: Finding['kind']) => findings.filter((finding) => finding.kind === kind);
  const [toMend, wrong, missing] = [ofKind('to mend'), ofKind('skipped'), ofKind('missing')];
  const lacking = sumOf(missing);
  const isTooMuchSkipped = skipped * 100 > allowSkipped * read;
  const isIncomplete =
    lacking === null ? allowMissing < 100 : lacking * 100 > allowMissing * (read + lacking);
  const parts: { isWrong: boolean; reason: string; advice: string[] }[] = [
    { isWrong: toMend.length > 0, reason: toMendText(toMend), advice: [] },
    {
      isWrong: isTooMuchSkipped,
      reason: `${skipped} of ${read} answers were skipped, more than ${allowSkipped} %`,
      advice: ['--allow-skipped PERCENT allows more'],
    },
    {
      isWrong: isIncomplete,
      reason: `the export is incomplete: answers that are not in it: ${lacking ?? UNKNOWN_NUMBER}`,
      advice: [
        ...linesOf(missing),
        'fetch the rest, or allow it with --allow-missing PERCENT (100 for an unknown number)',
      ],
    },
  ];
  const refused = parts.filter(({ isWrong }) => isWrong);
  if (refused.length === 0) return;
  throw new Failure(`${refused.map(({ reason }) => reason).join('; ')}; nothing is written`, {
    details: [
      ...linesOf([...toMend, ...wrong]),
      ...engineAdvice(wrong),
      ...refused.flatMap(({ advice }) => advice),
    ],
  });
}

/** Null if nobody knows it. */
function sumOf(findings: readonly Finding[]): number | null {
  return findings.reduce<number | null>(
    (sum, { records }) => (sum === null || records === null ? null : sum + records),
    0,
  );
}

/** As `unknown_engine` of helpers.sql begins it. */
const UNKNOWN = 'engine is unknown: ';

/** The options to paste for unknown engines. */
function engineAdvice(findings: readonly Finding[]): string[] {
  const names = findings.flatMap(({ reason }) =>
    reason.startsWith(UNKNOWN) ? [reason.slice(UNKNOWN.length)] : [],
  );
  if (names.length === 0) return [];
  const engines = names.map((name) => `--engine '${name.replaceAll("'", String.raw`'\''`)}=skip'`);
  return [
    `to skip these engines on purpose: ${engines.join(' ')}`,
    `or map one, with an engine in place of skip: ${engineSlugs.join(', ')}`,
  ];
}
