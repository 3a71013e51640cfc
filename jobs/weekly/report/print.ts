import { printTable } from '../../../lib/cli.ts';
import { counted } from '../../../lib/weeks/names.ts';
import { MAX_AGE_DAYS } from '../checks/completeness.ts';
import { isUnusual, shiftInWords } from '../checks/engine-shifts.ts';
import type { MeasurementChange } from '../checks/measurement.ts';
import type { CompletenessReport, WeeklyReport } from './report.ts';
import { causesOf } from './outcome.ts';
import type { Unpublished } from './outcome.ts';

const ROWS_SHOWN = 10;

/** Prints the human-readable report of a run. */
export function printReport(report: WeeklyReport, seconds: number): void {
  const { workspaces, brands, documents, bytes, refused, orphaned, unchanged, newer } = report;
  const published = { workspaces, brands, documents, bytes, new: report.new, unchanged };
  printTable([{ ...published, 'newer kept': newer, refused, orphaned: orphaned.runs, seconds }]);
  const others = (['prompts', 'competitors', 'brands'] as const).filter((kind) => orphaned[kind] > 0);
  if (others.length > 0) {
    const counts = others.map((kind) => `${orphaned[kind]} ${kind}`).join(', ');
    process.stdout.write(`\nAlso orphaned, because their brand or workspace is not tracked: ${counts}.\n`);
  }
  if (report.futureRuns > 0)
    process.stdout.write(
      `\nWarning: left out ${counted(report.futureRuns, 'run')} dated more than a day after ${report.asOf}: is a clock wrong?\n`,
    );
  printNewestCycle(report);
  printMissing(report.completeness);
  printShifts(report);
  printMeasurement(report.measurement);
  printUnpublished(report.unpublished);
}

function printNewestCycle({ completeness: { newestCycle, workspaces }, keptStale }: WeeklyReport): void {
  process.stdout.write(`\nNewest cycle in the lake: ${newestCycle ?? 'there is none yet'}.\n`);
  const stale = workspaces.filter(({ isStale }) => isStale);
  if (stale.length === 0) return;
  process.stdout.write(
    `\nWarning: nothing newer than ${MAX_AGE_DAYS} days was delivered for ${stale.length} of ${workspaces.length} workspaces:\n`,
  );
  printFirst(
    stale.map(({ workspaceId, newestCycle: cycle }) => ({ workspace: workspaceId, 'newest cycle': cycle })),
  );
  if (keptStale.length > 0)
    process.stdout.write(`${keptStale.length} of them keep their snapshot (--require-complete).\n`);
}

/** A warning with a line for each engine that moved for many brands at once; nothing if there is no such engine. */
function printShifts({ engineShifts, shard }: WeeklyReport): void {
  const unusual = engineShifts.filter(isUnusual);
  if (unusual.length === 0) return;
  const whose = shard === null ? '' : ` of shard ${shard.index} of ${shard.count}, which knows no others`;
  const lines = unusual.map((shift) => `${shiftInWords(shift)}\n`).join('');
  process.stdout.write(`\nWarning: hardly by chance, engines moved for many brands${whose}:\n${lines}`);
}

const kindsInWords = { runs_per_prompt: 'runs per prompt', models: 'model' };

/** One line for what changed on an engine in the same way, with the number of brands. */
function printMeasurement(measurement: readonly MeasurementChange[]): void {
  if (measurement.length === 0) return;
  process.stdout.write(
    '\nWarning: these scores were measured otherwise than in the week before, and may have moved for that reason alone:\n',
  );
  const alike = Map.groupBy(measurement, ({ engine, kind, before, after }) =>
    [engine, kind, before, after].join('\n'),
  );
  printFirst(
    [...alike.values()].map(([first, ...others]) => ({
      engine: first!.engine,
      changed: kindsInWords[first!.kind],
      before: first!.before ?? '',
      after: first!.after,
      brands: others.length === 0 ? first!.brand : `${first!.brand} and ${others.length} more`,
    })),
  );
}

function printUnpublished(unpublished: readonly Unpublished[]): void {
  if (unpublished.length === 0) return;
  process.stdout.write('\nNot published:\n');
  printFirst(
    causesOf(unpublished).map(({ workspaceIds: [first, ...others], reason, message }) => ({
      workspace: others.length === 0 ? first! : `${first} and ${others.length} more`,
      reason,
      message,
    })),
  );
}

function printFirst(rows: readonly Parameters<typeof printTable>[0][number][]): void {
  printTable(rows.slice(0, ROWS_SHOWN));
  const more = rows.length - ROWS_SHOWN;
  if (more > 0) process.stdout.write(`… and ${more} more (--json names them all)\n`);
}

function printMissing({ expected, delivered, percent, missing }: CompletenessReport): void {
  if (missing.length === 0) return;
  process.stdout.write(
    `\nWarning: the week is ${percent} % complete: ${delivered} of ${expected} prompts on engines were delivered. Missing:\n`,
  );
  printFirst(
    missing.map((row) => ({
      brand: row.brand,
      'newest cycle': row.newestCycle,
      engine: row.engine,
      expected: row.expected,
      delivered: row.delivered,
      'brand id': row.brandId,
    })),
  );
}
