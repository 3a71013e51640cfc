/** @module-tag slow */
import * as fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { weekly } from '../../../../jobs/weekly/weekly.ts';
import type { WeeklyReport } from '../../../../jobs/weekly/report/report.ts';
import type { WeeklyOptions } from '../../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { checkSequencesOfDrops } from '../../drops/check.ts';
import { writeDrops } from '../../drops/drops.ts';
import type { Drop } from '../../drops/drops.ts';
import { deliver, logOf } from '../../jobs.ts';
import { SLOW_TEST_MS } from '../../../support/slow.ts';

/** How many sequences of drops are checked: one in `npm test`; `RANDOM_LAKES=1000` is for a search by hand. */
const MANY = Number(process.env['RANDOM_LAKES'] ?? 8);

/** Before, within and after the cycles of the drops, so that some are settled and some are not. */
const asOf = fc.constantFrom(
  '2026-11-10T12:00:00Z',
  '2026-11-16T06:00:00Z',
  '2026-11-16T23:59:59.999999Z',
  '2027-06-01T00:00:00Z',
);

/** One object of a cycle has all runs of a drop, or a few at most. */
const runsInObject = fc.constantFrom(1, 2, 5, 1000);
type Choice = { asOf: string; runsInObject: number };

describe('from a base or from raw runs, from one object of a cycle or many, in any shard, after any deliveries and as of any instant: the same snapshots', () => {
  test('of one sequence of drops', async () => {
    expect(await checked(1)).toBe(1);
  });

  // Ends only what hangs: on a busy machine a sequence has taken 35 seconds.
  test('of many', { tags: ['long'], timeout: SLOW_TEST_MS + MANY * 60_000 }, async () => {
    expect(await checked(MANY)).toBe(MANY);
  });
});

const checked = async (count: number) =>
  await checkSequencesOfDrops(count, fc.record({ asOf, runsInObject }), expectTheSame);

async function expectTheSame(
  delivered: readonly Drop[],
  choices: readonly Choice[],
  below: string,
): Promise<void> {
  const lake = join(below, 'lake');
  const sharded = join(below, 'sharded');
  for (const [index, drop] of (await writeDrops(delivered, below)).entries()) {
    await deliver(lake, drop);
    await deliver(sharded, drop, { runsInObject: choices[index]!.runsInObject });
    for (const instant of new Set([choices[index]!.asOf, '2027-06-01T00:00:00Z'])) {
      if (instant.slice(0, 10) < delivered[0]!.date) continue; // nothing is tracked yet
      const options = { lake: directoryStore(lake), asOf: parseInstant(instant)! };
      const fromBase = await weekly({ ...options, ...logOf(join(below, 'base')) });
      const fromRuns = await weekly({
        ...options,
        ...logOf(join(below, 'runs')),
        full: true,
        threads: 1,
      });
      const split = { ...options, lake: directoryStore(sharded), threads: 1 };
      // It stores a base every other time, so that shards start from that or from their own.
      const ofAll = await weekly({ ...split, ...logOf(join(below, 'split')), full: index % 2 === 1 });
      const shards = await weeklyInShards(split, below);
      expect(snapshotsOf(fromBase)).toEqual(snapshotsOf(fromRuns));
      expect(snapshotsOf(...shards)).toEqual(snapshotsOf(fromRuns));
      expect(snapshotsOf(ofAll)).toEqual(snapshotsOf(fromRuns));
      for (const report of [fromBase, ...shards, ofAll]) expect(report.orphaned).toEqual(fromRuns.orphaned);
    }
  }
}

/** Each shard keeps bases of its own, and brands move between the workspaces of different shards. */
async function weeklyInShards(
  options: Pick<WeeklyOptions, 'lake' | 'asOf' | 'threads'>,
  below: string,
): Promise<WeeklyReport[]> {
  const reports: WeeklyReport[] = [];
  for (const index of [2, 1]) {
    const log = logOf(join(below, `shard-${index}`));
    reports.push(await weekly({ ...options, ...log, shard: { index, count: 2 } }));
  }
  return reports;
}

/** A snapshot's id is made of the hashes of its documents. */
function snapshotsOf(...reports: readonly WeeklyReport[]): Record<string, string> {
  return Object.fromEntries(
    reports.flatMap(({ snapshots }) => snapshots.map((each) => [each.workspaceId, each.snapshotId])),
  );
}
