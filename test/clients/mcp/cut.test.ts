import * as fc from 'fast-check';
import { expect, test } from 'vitest';

interface Cut {
  data: unknown;
  shown: number | null;
  isShortened: boolean;
}
interface Cuttable {
  data: unknown;
  rows: number | null;
  withRows: (count: number) => unknown;
}

// Not a literal: the compiler of the whole does not know the package.
const file = '../../../clients/mcp/src/cut.ts';
const { bytesOf, cutToFit } = (await import(file)) as {
  bytesOf: (value: unknown) => number;
  cutToFit: (cuttable: Cuttable, fits: (cut: Cut) => boolean) => Cut;
};

const row = fc.record({
  name: fc.string({ unit: 'binary', maxLength: 300 }),
  inner: fc.array(fc.record({ entity: fc.string({ maxLength: 40 }), share: fc.double() }), { maxLength: 30 }),
});

test('the result fits, is a prefix of the data, and could not contain more rows', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), fc.integer({ min: 200, max: 8000 }), (rows, limit) => {
      const dataOf = (count: number) => ({ prompts: rows.slice(0, count) });
      const fits = ({ data }: Cut) => bytesOf(data) <= limit;
      const cut = cutToFit({ data: dataOf(rows.length), rows: rows.length, withRows: dataOf }, fits);
      expect(bytesOf(cut.data)).toBeLessThanOrEqual(limit);
      const { prompts } = cut.data as { prompts: typeof rows };
      expect(prompts).toHaveLength(cut.shown!);
      const isWhole = bytesOf(dataOf(rows.length)) <= limit;
      seen.add(isWhole ? 'whole' : cut.isShortened ? 'shortened' : 'fewer rows');
      // Nothing is cut without need: one more row does not fit, and a row is shortened only if it does not fit alone.
      const more = cut.isShortened ? 1 : cut.shown! + 1;
      expect(isWhole || bytesOf(dataOf(more)) > limit).toBe(true);
      for (const [index, { name, inner }] of prompts.entries()) {
        expect(rows[index]!.name.startsWith(name.replace(/\uFFFD?…$/, ''))).toBe(true);
        expect(inner.length).toBeLessThanOrEqual(rows[index]!.inner.length);
      }
      expect(isWhole ? prompts : rows).toEqual(rows);
    }),
    { numRuns: 500 },
  );
  expect(seen).toEqual(new Set(['whole', 'fewer rows', 'shortened']));
});

test('data without rows is shortened inside', () => {
  const data = { moved: Array.from({ length: 1000 }, (_, n) => ({ n })), brand: 'Acme' };
  const cut = cutToFit(
    { data, rows: null, withRows: () => data },
    (candidate) => bytesOf(candidate.data) <= 500,
  );
  expect(cut).toMatchObject({ shown: null, isShortened: true, data: { brand: 'Acme' } });
  expect((cut.data as typeof data).moved.length).toBeGreaterThan(10);
});
