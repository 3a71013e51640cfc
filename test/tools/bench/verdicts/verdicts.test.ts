/** @module-tag long */
import { expect, test } from 'vitest';
import { blocksOf, pageText } from '../../../docs/pages.ts';
import { detectableCells, lastingCells, leadCells, scoreCells, togetherCells } from './command.ts';
import { leadTable, scoreTable } from './tables.ts';
import { detectableTable, lastingTable, togetherTable } from './together.ts';

const page = pageText('docs/methodology.md');

test('the same seed gives the same tables, and the rules hold their promises', () => {
  const scores = scoreTable(7, 120);
  expect(scoreTable(7, 120)).toEqual(scores);
  const rowsOf = (happening: string) => scores.filter((row) => row.happening === happening);
  for (const { driftBand, samePrompts } of rowsOf('nothing'))
    for (const { most } of [driftBand, samePrompts]) expect(most).toBeLessThan(10);
  // Other prompts move the band; prompts that are compared with themselves they do not.
  for (const { driftBand, samePrompts } of rowsOf('half of the prompts replaced')) {
    expect(samePrompts.most).toBeLessThan(10);
    expect(driftBand.most).toBeGreaterThan(samePrompts.most);
  }
  const middle = rowsOf('brand halved').find(({ prompts }) => prompts === 25);
  expect(middle!.samePrompts.least).toBeGreaterThan(middle!.driftBand.least);
  // Nothing judges right if the number of runs changes.
  for (const { samePrompts } of rowsOf('three runs')) expect(samePrompts.most).toBeGreaterThan(20);
  const leads = leadTable(7, 120);
  expect(leads.map(({ prompts }) => prompts)).toEqual([5, 10, 25, 60]);
  for (const row of leads) {
    expect(row.pairByPrompt.most).toBeLessThan(14);
    expect(row.pairWilson.least).toBeGreaterThan(row.pairByPrompt.least);
    expect(row.aloneByPrompt.most).toBeLessThan(4);
    expect(row.anyWilson.least).toBeGreaterThan(row.anyByPrompt.most);
  }
});

test('engines judged together give fewer false alarms, and one verdict on four weeks finds what lasts', () => {
  const [calm, , fell] = togetherTable(7, 400);
  expect(calm!.moved).toBeLessThan(9);
  expect(calm!.samePrompts).toBeGreaterThan(2 * calm!.moved);
  expect(fell!.moved).toBeGreaterThan(40);
  const [nothing, , , , halved] = lastingTable(7, 400);
  expect(nothing!.fourWeeks).toBeLessThan(7);
  expect(nothing!.anySamePrompts).toBeGreaterThan(nothing!.fourWeeks);
  expect(halved!.fourWeeks).toBeGreaterThan(80);
  for (const { found } of detectableTable(7, 400)) {
    expect(found).toBeGreaterThan(60);
    expect(found).toBeLessThan(82);
  }
});

/** The cells of the markdown table after a mark. */
function tableAfter(mark: string): string[][] {
  const [table] = page.split(`<!-- ${mark} -->\n\n`)[1]!.split('\n\n');
  const [head, , ...rows] = table!.trimEnd().split('\n');
  return [head!, ...rows].map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function cellsOf(rows: readonly Record<string, string | number>[]): string[][] {
  return [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(String))];
}

test('docs/methodology.md quotes the tables of `npm run bench -- verdicts`', { tags: ['long'] }, () => {
  expect(blocksOf(page).some(({ text }) => text.includes('npm run bench -- verdicts'))).toBe(true);
  expect(tableAfter('bench: scores')).toEqual(cellsOf(scoreTable(1, 1000).map(scoreCells)));
  expect(tableAfter('bench: leads')).toEqual(cellsOf(leadTable(1, 1000).map(leadCells)));
  expect(tableAfter('bench: together')).toEqual(cellsOf(togetherTable(1, 1000).map(togetherCells)));
  expect(tableAfter('bench: lasting')).toEqual(cellsOf(lastingTable(1, 1000).map(lastingCells)));
  expect(tableAfter('bench: detectable')).toEqual(cellsOf(detectableTable(1, 1000).map(detectableCells)));
});
