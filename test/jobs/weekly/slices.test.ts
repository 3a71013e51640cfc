/** @module-tag slow */
import * as fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { answersOf } from '../../reference/reference.ts';
import type { Delivery } from '../../reference/drop.ts';
import { checkSequencesOfDrops } from '../drops/check.ts';
import { writeDrops } from '../drops/drops.ts';
import type { Drop } from '../drops/drops.ts';
import { answersIn, deliver, publish } from '../jobs.ts';
import { SLOW_TEST_MS } from '../../support/slow.ts';
import { testLake } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { ids, mention, runId, sound, tracked } from '../records.ts';
import type { Fields } from '../records.ts';

const WEEK_MS = 7 * 86_400_000;
const dateOf = (week: number) => new Date(Date.UTC(2024, 0, 1) + week * WEEK_MS).toISOString().slice(0, 10);
const names = ['Acme', ' acme', 'Globex "the" Corp', 'a\\b', 'tab\there', 'nul\0here', 'Ünïted', '🚀 Go'];

/** Two answers of a week; which names they have depends on it. */
function runsOf(week: number): Fields[] {
  const date = dateOf(week);
  return ['perplexity', 'chatgpt'].map((engine, at) =>
    sound.runs({
      id: runId(2 * week + at),
      engine,
      cycle_date: date,
      ran_at: `${date}T08:00:00Z`,
      mentions: names
        .filter((_, n) => (week + at) % (n + 1) === 0)
        .map((name, n) => mention({ name, position: n + 1, subject: n < 2 ? 'brand' : 'other' })),
    }),
  );
}

async function deliverRuns({ lake, dropOf }: TestLake, runs: Fields[]): Promise<Delivery> {
  const delivery = { folder: await dropOf({ ...tracked, 'runs.ndjson': runs }), date: dateOf(0) };
  await deliver(lake, delivery);
  return delivery;
}

async function expectReference({ folder, lake }: TestLake, deliveries: readonly Delivery[], week: number) {
  const asOf = `${dateOf(week)}T23:00:00Z`;
  await publish(lake, join(folder, 'store'), asOf);
  const answers = await answersIn(join(folder, 'store'), ids.workspace);
  expect({ [ids.workspace]: answers }).toEqual(answersOf(deliveries, asOf).workspaces);
  return JSON.stringify(answers);
}

describe('all cycles count', () => {
  // A text of DuckDB has up to 12 bytes in place; a bit string of 104 cycles has more.
  test('also of two years', async () => {
    const lake = await testLake();
    const runs = Array.from({ length: 104 }, (_, week) => runsOf(week)).flat();
    const answers = await expectReference(lake, [await deliverRuns(lake, runs)], 103);
    expect(answers).toContain('"cyclesObserved":104');
  });

  test('also of a late delivery: the newest two cycles of each engine are published', async () => {
    const lake = await testLake();
    const first = await deliverRuns(lake, [0, 1, 2, 3].flatMap(runsOf));
    await expectReference(lake, [first], 3);
    // Week 0 and 1 are the newest two of this engine; in week 1 the brand comes second in one answer, fourth in another.
    const late = [0, 1, 1].map((week, n) => {
      const named = mention({ name: 'Acme', position: 2 + 2 * n, subject: 'brand' });
      const answer = { cycle_date: dateOf(week), ran_at: `${dateOf(week)}T09:00:00Z`, engine: 'claude' };
      return sound.runs({ ...answer, id: runId(1000 + n), mentions: n === 0 ? [] : [named] });
    });
    expect(await expectReference(lake, [first, await deliverRuns(lake, late)], 3)).toContain(
      `{"slug":"claude","date":"${dateOf(1)}","isNamed":true,"position":4,"previousDate":"${dateOf(0)}","wasNamed":false,"previousPosition":null,"change":"won","evidence":[]}`,
    );
  });
});

/** How many sequences of drops are checked: one in `npm test`; `RANDOM_LAKES=1000` is for a search by hand. */
const MANY = Number(process.env['RANDOM_LAKES'] ?? 8);

/** Before, within and after the cycles of the drops. */
const instants = fc.constantFrom(
  '2026-11-10T12:00:00Z',
  '2026-11-16T06:00:00Z',
  '2026-11-16T23:59:59.999999Z',
  '2027-06-01T00:00:00Z',
);
/** One object of a cycle has all runs of a drop, or a few at most. */
const runsInObject = fc.constantFrom(1, 2, 5, 1000);
/** A slice for each brand, a few, or one. */
const bytesInSlice = fc.constantFrom(1, 3000, 10_000, 1_000_000);
const choice = fc.record({ asOf: instants, runsInObject, bytesInSlice });
type Choice = { asOf: string; runsInObject: number; bytesInSlice: number };

describe('in slices of any size, from one object of a cycle or many, in any shard, after any deliveries and as of any instant: the same snapshots', () => {
  test('of one sequence of drops', async () => {
    expect(await checkSequencesOfDrops(1, choice, expectTheSame)).toBe(1);
  });

  // Ends only what hangs: on a busy machine a sequence has taken 35 seconds.
  test('of many', { tags: ['long'], timeout: SLOW_TEST_MS + MANY * 60_000 }, async () => {
    expect(await checkSequencesOfDrops(MANY, choice, expectTheSame)).toBe(MANY);
  });
});

async function expectTheSame(drops: readonly Drop[], choices: readonly Choice[], below: string) {
  const [lake, split] = [join(below, 'lake'), join(below, 'split')];
  for (const [index, drop] of (await writeDrops(drops, below)).entries()) {
    const chosen = choices[index]!;
    await deliver(lake, drop);
    await deliver(split, drop, { runsInObject: chosen.runsInObject });
    for (const asOf of new Set([chosen.asOf, '2027-06-01T00:00:00Z'])) {
      if (asOf.slice(0, 10) < drops[0]!.date) continue; // nothing is tracked yet
      const whole = await publish(lake, join(below, 'whole'), asOf, { bytesInSlice: 1 << 30 });
      const sliced = await publish(split, join(below, 'sliced'), asOf, {
        bytesInSlice: chosen.bytesInSlice,
        threads: 3,
      });
      const shards = [];
      for (const part of [2, 1])
        shards.push(
          await publish(split, join(below, `shard-${part}`), asOf, { shard: { index: part, count: 2 } }),
        );
      expect(snapshotsOf(sliced)).toEqual(snapshotsOf(whole));
      expect(snapshotsOf(...shards)).toEqual(snapshotsOf(whole));
      for (const { orphaned } of [sliced, ...shards]) expect(orphaned).toEqual(whole.orphaned);
    }
  }
}

/** A snapshot's id is made of the hashes of its documents. */
function snapshotsOf(...reports: readonly WeeklyReport[]): Record<string, string> {
  return Object.fromEntries(
    reports.flatMap(({ snapshots }) => snapshots.map((each) => [each.workspaceId, each.snapshotId])),
  );
}
