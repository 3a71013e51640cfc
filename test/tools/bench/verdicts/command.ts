import { Command } from 'commander';
import { printTable } from '../../../../lib/cli.ts';
import { wholeNumber } from '../../../../jobs/options.ts';
import { leadTable, scoreTable } from './tables.ts';
import type { LeadRow, Range, ScoreRow } from './tables.ts';
import { detectableTable, lastingTable, togetherTable } from './together.ts';
import type { DetectableRow, LastingRow, TogetherRow } from './together.ts';

/** `bench verdicts`: simulates how often the published verdicts are wrong, and how often they find a change. */
export function verdictsBench(): Command {
  return new Command('verdicts')
    .description(
      'How often the verdicts are wrong, and how often they find a change: simulated with the formulas of this version.',
    )
    .option('--seed <n>', 'the same seed gives the same tables', wholeNumber(1), 1)
    .option('--cases <n>', 'simulated cases of each setting', wholeNumber(1), 1000)
    .option('--json', 'print the result as JSON')
    .action(({ seed, cases, json }: { seed: number; cases: number; json?: true }) => {
      const [scores, leads] = [scoreTable(seed, cases), leadTable(seed, cases)];
      const together = togetherTable(seed, cases);
      const [lasting, detectable] = [lastingTable(seed, cases), detectableTable(seed, cases)];
      if (json) {
        process.stdout.write(
          `${JSON.stringify({ seed, cases, scores, leads, together, lasting, detectable })}\n`,
        );
        return;
      }
      process.stdout.write('Engine-weeks in which a change is reported, in percent:\n');
      printTable(scores.map(scoreCells));
      process.stdout.write('\nNames that are called different, in percent:\n');
      printTable(leads.map(leadCells));
      process.stdout.write('\nA brand on 8 engines, judged together, in percent of weeks:\n');
      printTable(together.map(togetherCells));
      process.stdout.write('\nA change that lasts for four weeks, in percent:\n');
      printTable(lasting.map(lastingCells));
      process.stdout.write('\nFalls that a week would have shown:\n');
      printTable(detectable.map(detectableCells));
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

/** Rows of the tables of docs/methodology.md, Questions. */
export function togetherCells({ happening, prompts, driftBand, samePrompts, moved }: TogetherRow) {
  return {
    'latest week': happening,
    prompts,
    'drift band': rounded(driftBand),
    'same prompts': rounded(samePrompts),
    moved: rounded(moved),
  };
}

export function lastingCells({ happening, prompts, anyBand, anySamePrompts, fourWeeks }: LastingRow) {
  return {
    'newest four weeks': happening,
    prompts,
    'any of four drift bands': rounded(anyBand),
    'any of four same prompts': rounded(anySamePrompts),
    'four weeks': rounded(fourWeeks),
  };
}

export function detectableCells({ prompts, detectable, found }: DetectableRow) {
  return { prompts, 'detectable, pp': rounded(detectable), 'such a fall is found': rounded(found) };
}

/** Percentages: one decimal below 10. */
function rangeInWords({ least, most }: Range): string {
  const [from, to] = [rounded(least), rounded(most)];
  return from === to ? from : `${from}–${to}`;
}

function rounded(value: number): string {
  return value.toFixed(value < 9.95 ? 1 : 0);
}
