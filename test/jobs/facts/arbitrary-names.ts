import * as fc from 'fast-check';
import type { BrandNames, Spelling } from '../../../jobs/weekly/facts/brand-names.ts';

/** Mention entries of a brand in one cycle: by series (prompt, engine), how often each spelling stands there. */
export type Cycle = { prompt: string; engine: number; entries: { spelling: Spelling; count: number }[] }[];

export const prompts = [1, 2, 3].map((n) => `dddddddd-0000-4000-8000-00000000000${n}`);
export const competitors = [1, 2].map((n) => `cccccccc-0000-4000-8000-00000000000${n}`);

const texts = fc.constantFrom('Acme', 'acme', 'Globex "the" Corp', 'Ünïted\n', '株式会社', '🚀 Go', 'a\0b');

export const spellings: fc.Arbitrary<Spelling> = fc
  .record({
    subject: fc.constantFrom('brand', 'competitor', 'other'),
    competitorId: fc.constantFrom(null, ...competitors),
    name: texts,
    padding: fc.constantFrom('', ' '),
  })
  .map(({ subject, competitorId, name, padding }) => ({
    subject,
    competitorId: subject === 'competitor' ? competitorId : null,
    name: `${name}${padding}`,
    entity: name.trim(),
    folded: name.trim().toLowerCase(),
  }));

const keyOf = ({ subject, competitorId, name }: Spelling) => JSON.stringify([subject, competitorId, name]);

export const cycles: fc.Arbitrary<Cycle> = fc.uniqueArray(
  fc.record({
    prompt: fc.constantFrom(...prompts),
    engine: fc.nat({ max: 7 }),
    entries: fc.uniqueArray(fc.record({ spelling: spellings, count: fc.integer({ min: 1, max: 5 }) }), {
      selector: ({ spelling }) => keyOf(spelling),
      maxLength: 6,
    }),
  }),
  { selector: ({ prompt, engine }) => `${prompt} ${engine}`, maxLength: 8 },
);

/** In columns, as the job reduces a cycle to. */
export function namesOfCycle(cycle: Cycle): BrandNames {
  const known = [
    ...new Map(cycle.flatMap(({ entries }) => entries.map((e) => [keyOf(e.spelling), e.spelling]))),
  ];
  const promptIds = prompts.filter((id) => cycle.some(({ prompt }) => prompt === id));
  const numbered = cycle
    .map(({ prompt, engine, entries }) => ({ number: promptIds.indexOf(prompt) * 8 + engine, entries }))
    .toSorted((a, b) => a.number - b.number);
  const rows = numbered.flatMap(({ entries }) => entries);
  let end = 0;
  return {
    prompts: promptIds,
    spellings: known.map(([, spelling]) => spelling),
    series: Int32Array.from(numbered, ({ number }) => number),
    observed: Int32Array.from(numbered, () => 1),
    ends: Int32Array.from(numbered, ({ entries }) => (end += entries.length)),
    spelling: Int32Array.from(rows, (row) => known.findIndex(([key]) => key === keyOf(row.spelling))),
    entries: Int32Array.from(rows, ({ count }) => count),
    cycles: [Int32Array.from(rows, () => 1)],
  };
}

/** What it says, without numbers that mean nothing by themselves. */
export function meaningOf(names: BrandNames): unknown {
  const series = [...names.series].map((number, place) => {
    const rows = [];
    for (let row = place === 0 ? 0 : names.ends[place - 1]!; row < names.ends[place]!; row++) {
      const words = names.cycles.map((word) => (word[row]! >>> 0).toString(2).padStart(32, '0'));
      rows.push({
        spelling: names.spellings[names.spelling[row]!]!,
        entries: names.entries[row],
        cycles: BigInt(`0b${words.toReversed().join('')}`),
      });
    }
    return {
      prompt: names.prompts[Math.floor(number / 8)],
      engine: number % 8,
      observed: names.observed[place],
      rows: rows.toSorted((a, b) => (keyOf(a.spelling) < keyOf(b.spelling) ? -1 : 1)),
    };
  });
  return series.toSorted((a, b) => (`${a.prompt} ${a.engine}` < `${b.prompt} ${b.engine}` ? -1 : 1));
}

/** The same from the cycles themselves, in plain objects. */
export function meaningOfCycles(all: readonly Cycle[]): unknown {
  return prompts.flatMap((prompt) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((engine) => {
      const there = all.map((cycle) =>
        cycle.find((each) => each.prompt === prompt && each.engine === engine),
      );
      const observed = there.filter((each) => each !== undefined).length;
      if (observed === 0) return [];
      const keys = [...new Set(there.flatMap((each) => each?.entries.map((e) => keyOf(e.spelling)) ?? []))];
      const rows = keys.toSorted().map((key) => {
        const found = there.map((each) => each?.entries.find((e) => keyOf(e.spelling) === key));
        return {
          spelling: found.find((entry) => entry !== undefined)!.spelling,
          entries: found.reduce((sum, entry) => sum + (entry?.count ?? 0), 0),
          cycles: found.reduce(
            (bits, entry, no) => (entry === undefined ? bits : bits | (1n << BigInt(no))),
            0n,
          ),
        };
      });
      return [{ prompt, engine, observed, rows }];
    }),
  );
}
