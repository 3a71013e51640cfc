import { printTable } from '../../lib/cli.ts';
import type { CompletenessReport, WeeklyReport } from './report.ts';

const MISSING_SHOWN = 10;

/** The report of a run, for people. */
export function printReport(report: WeeklyReport, seconds: number): void {
  const { workspaces, brands, documents, bytes, refused, orphaned, unchanged } = report;
  printTable([
    {
      workspaces,
      brands,
      documents,
      bytes,
      new: report.new,
      unchanged,
      refused,
      orphaned: orphaned.runs,
      seconds,
    },
  ]);
  const others = (['prompts', 'competitors', 'brands'] as const).filter((kind) => orphaned[kind] > 0);
  if (others.length > 0) {
    const counts = others.map((kind) => `${orphaned[kind]} ${kind}`).join(', ');
    process.stdout.write(`\nAlso orphaned, because what they belong to is not tracked: ${counts}.\n`);
  }
  printMissing(report.completeness);
}

function printMissing({ expected, delivered, percent, missing }: CompletenessReport): void {
  if (missing.length === 0) return;
  process.stdout.write(
    `\nThe newest week is ${percent} % complete: ${delivered} of ${expected} prompts on engines came. Missing:\n`,
  );
  printTable(
    missing.slice(0, MISSING_SHOWN).map((row) => ({
      brand: row.brand,
      engine: row.engine,
      expected: row.expected,
      delivered: row.delivered,
      'brand id': row.brandId,
    })),
  );
  const more = missing.length - MISSING_SHOWN;
  if (more > 0) process.stdout.write(`… and ${more} more (--json names them all)\n`);
}
