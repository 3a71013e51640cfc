import { printTable, printable } from '../../../lib/cli.ts';
import { rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { sqlNextTo } from '../../relations.ts';
import type { ImportReport } from '../import.ts';
import { linesOf } from './findings.ts';
import type { Finding } from './findings.ts';

/** What the drop shows of one brand. Counts are of runs. */
export interface BrandCounts {
  brand: string;
  runs: number;
  /** Runs with an answer. */
  answers: number;
  namedIn: number;
  competitors: number;
  competitorMentions: number;
  citations: number;
  domains: number;
  engines: number;
  cycles: number;
  /** The three names that are named most and are not tracked, such as `Globex (16)`. */
  others: string[];
}

export async function brandsOf(connection: Connection): Promise<BrandCounts[]> {
  const rows = await rowsOf<Omit<BrandCounts, 'others'> & { others: string }>(
    connection,
    await sqlNextTo(import.meta, 'brands'),
  );
  return rows.map(({ others, ...row }) => ({ ...row, others: JSON.parse(others) as string[] }));
}

/** A sentence for each number of a brand that is 0 or 100 %, which is more often a slip than a finding. */
export function warningsOf(counts: BrandCounts): string[] {
  const { brand, runs, answers, namedIn, competitors, competitorMentions, citations, others } = counts;
  if (runs === 0) return [`${brand} has no answers: is its name the one in the file of answers?`];
  if (answers === 0) return [`${brand}: none of its ${runs} answers has a text or names`];
  const most = others.length === 0 ? '' : `; most named others: ${others.join(', ')}`;
  return [
    ...(namedIn === 0
      ? [`${brand} is named in none of its answers (${answers}): check its name and its aliases${most}`]
      : []),
    ...(namedIn === answers
      ? [
          `${brand} is named in each of its answers (${answers}): do the prompts name it, or is its name a common word?`,
        ]
      : []),
    ...(competitors === 0
      ? [
          `${brand} has no competitors: its share of voice will be 100 %${most}; list competitors (in names.csv) to compare`,
        ]
      : competitorMentions === 0
        ? [
            `${brand}: none of its ${competitors} competitors is named in any answer: check their names${most}`,
          ]
        : []),
    ...(citations === 0 ? [`${brand}: no answer has a citation`] : []),
  ];
}

const SECTIONS: readonly [title: string, kinds: readonly Finding['kind'][]][] = [
  ['Skipped', ['skipped', 'skipped on purpose']],
  ['Merged', ['merged']],
  ['Missing from the export', ['missing']],
  ['Left out', ['left out']],
];

/** What `import` prints for people. */
export function printReport(report: ImportReport, folder: string): void {
  const { stdout } = process;
  const { files, read, kept, cycles, newestCycle } = report;
  const period = cycles === 'weekly' ? 'week' : 'day';
  printTable(files.map(({ file, records }) => ({ file, records })));
  stdout.write(`\n${read} answers read, ${kept} kept as runs, one for each prompt, engine and ${period}\n`);
  for (const [title, kinds] of SECTIONS)
    printLines(title, linesOf(report.findings.filter(({ kind }) => kinds.includes(kind))));
  printLines('Notes', report.notes);
  if (report.brands.length > 0) {
    stdout.write('\n');
    printTable(report.brands.map((counts) => tableRow(counts, period)));
  }
  printLines(
    'Check this',
    report.brands.flatMap((brand) => warningsOf(brand)),
  );
  if (report.isKnown) stdout.write(`\n${folder} has this drop already.\n`);
  const date = newestCycle === null ? '' : ` --date ${newestCycle}`;
  stdout.write(`\nNext: npm run job -- ingest --from ${folder}${date}\n`);
}

function tableRow(counts: BrandCounts, period: string) {
  const { namedIn, answers } = counts;
  const share = answers === 0 ? '' : ` (${Math.round((1000 * namedIn) / answers) / 10} %)`;
  return {
    brand: counts.brand,
    answers,
    'named in': `${namedIn}${share}`,
    competitors: counts.competitors,
    'mentions of them': counts.competitorMentions,
    citations: counts.citations,
    domains: counts.domains,
    engines: counts.engines,
    [`${period}s`]: counts.cycles,
  };
}

function printLines(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  process.stdout.write(`\n${title}:\n`);
  for (const line of lines) process.stdout.write(`  ${printable(line)}\n`);
}
