import { Command } from 'commander';
import { printTable } from '../../../../lib/cli.ts';
import { whole } from '../gateway/options.ts';
import { leadTable, scoreTable } from './tables.ts';
import type { LeadRow, Range, ScoreRow } from './tables.ts';

/** `bench verdicts`: simulates how often the published verdicts are wrong, and how often they find a change. */
export function verdictsBench(): Command {
  return new Command('verdicts')
    .description(
      'How often the verdicts are wrong, and how often they find a change: simulated with the formulas of this version.',
    )
    .option('--seed <n>', 'the same seed gives the same tables', whole, 1)
    .option('--cases <n>', 'simulated cases of each setting', whole, 1000)
    .option('--json', 'print the result as JSON')
    .action(({ seed, cases, json }: { seed: number; cases: number; json?: true }) => {
      const [scores, leads] = [scoreTable(seed, cases), leadTable(seed, cases)];
      if (json) {
        process.stdout.write(`${JSON.stringify({ seed, cases, scores, leads })}\n`);
        return;
      }
      process.stdout.write('Engine-weeks in which a change is reported, in percent:\n');
      printTable(scores.map(scoreCells));
      process.stdout.write('\nNames that are called different, in percent:\n');
      printTable(leads.map(leadCells));
    });
}

/** A row of the first table of docs/methodology.md. */
export function scoreCells({ happening, prompts, weeks, driftBand, samePrompts }: ScoreRow) {
  return {
    'latest week': happening,
    prompts,
    'weeks before': weeks,
    'drift band': rangeInWords(driftBand),
    'same prompts': rangeInWords(samePrompts),
  };
}

/** A row of the second table of docs/methodology.md. */
export function leadCells(row: LeadRow) {
  return {
    prompts: row.prompts,
    'equal pair: by prompt': rangeInWords(row.pairByPrompt),
    'as independent draws': rangeInWords(row.pairIndependent),
    'Wilson apart': rangeInWords(row.pairWilson),
    'six equal: one behind': rangeInWords(row.anyByPrompt),
    'Wilson, not tied': rangeInWords(row.anyWilson),
    'one alone': rangeInWords(row.aloneByPrompt),
    'half as likely: found': rangeInWords(row.foundByPrompt),
    'by Wilson': rangeInWords(row.foundWilson),
  };
}

/** Percentages: one decimal below 10. */
function rangeInWords({ least, most }: Range): string {
  const [from, to] = [rounded(least), rounded(most)];
  return from === to ? from : `${from}–${to}`;
}

function rounded(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0);
}
