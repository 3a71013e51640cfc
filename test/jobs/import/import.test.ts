/** @module-tag long */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { imported } from './imports.ts';

const csv = (rows: readonly string[]) =>
  ['brand,prompt,engine,ran_at,answer,status', ...rows].map((line) => `${line}\n`).join('');
const answer = 'Acme,Which?,grok,2026-11-16,Acme,';

/** Of two different answers of one prompt, engine and instant the first counts: here are none. */
const rows = [
  answer,
  'Acme,Which?,grok,2026-11-17,Globex and Acme,',
  'Acme,Which?,grok,2026-11-17T01:00:00Z,,failed',
  'Acme,Which?,grok,2026-11-25,none,',
  'Acme,Which?,Claude,2026-11-16,,',
  'Acme,Who?,Claude,2026-11-16,Globex,',
  'Globex,Which?,grok,2026-11-16,Globex,',
];

test('the order of files and of rows, and rows that come twice, change nothing in the drop', async () => {
  const { 'import.json': _, ...expected } = (await imported({ 'a.csv': csv(rows) })).files;
  const orders = fc.tuple(
    fc.shuffledSubarray(rows, { minLength: rows.length }),
    fc.subarray(rows),
    fc.nat(rows.length),
  );
  await fc.assert(
    fc.asyncProperty(orders, async ([shuffled, again, cut]) => {
      const parts = {
        'y.csv': csv(shuffled.slice(0, cut)),
        'x.csv': csv([...shuffled.slice(cut), ...again]),
      };
      const { 'import.json': __, ...files } = (await imported(parts)).files;
      expect(files).toEqual(expected);
    }),
    { numRuns: 2 },
  );
});

test('answers may contain lines that look like rows of the export, in a large file too', async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `${n},Acme,5,yes,good,a,b`).join('\n');
  const many = Array.from({ length: 4000 }, (_, n) => `Acme,Which ${n}?,grok,2026-11-16,"${lines}",`);
  expect((await imported({ 'answers.csv': csv(many) })).report.kept).toBe(4000);
});
