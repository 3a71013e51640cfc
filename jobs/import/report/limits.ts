import { Failure } from '../../../lib/failure.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import type { Missing } from '../records/records.ts';
import { linesOf } from './refusals.ts';
import type { Refusal } from './refusals.ts';

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
