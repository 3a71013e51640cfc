/** @module-tag long */
import { expect, test } from 'vitest';
import { blocksOf, pageText } from '../../../docs/pages.ts';
import { detectableCells, lastingCells, leadCells, scoreCells, togetherCells } from './command.ts';
import { leadTable, scoreTable } from './tables.ts';
import { detectableTable, lastingTable, togetherTable } from './together.ts';

const page = pageText('docs/methodology.md');

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

test('docs/methodology.md quotes the tables of `npm run bench -- verdicts`', () => {
  expect(blocksOf(page).some(({ text }) => text.includes('npm run bench -- verdicts'))).toBe(true);
  expect(tableAfter('bench: scores')).toEqual(cellsOf(scoreTable(1, 1000).map(scoreCells)));
  expect(tableAfter('bench: leads')).toEqual(cellsOf(leadTable(1, 1000).map(leadCells)));
  expect(tableAfter('bench: together')).toEqual(cellsOf(togetherTable(1, 1000).map(togetherCells)));
  expect(tableAfter('bench: lasting')).toEqual(cellsOf(lastingTable(1, 1000).map(lastingCells)));
  expect(tableAfter('bench: detectable')).toEqual(cellsOf(detectableTable(1, 1000).map(detectableCells)));
});
