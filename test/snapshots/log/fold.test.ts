import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { withdrawalReasons } from '../../../snapshots/log/entries.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { Folder, encodedHistories } from '../../../snapshots/log/fold.ts';
import type { Fold } from '../../../snapshots/log/fold.ts';
import {
  currentOf,
  decodeHeads,
  decodeHistory,
  encodeHeads,
  encodeHistory,
  isDeeper,
} from '../../../snapshots/log/history.ts';
import { entriesOf, snapshotOf, workspaceOf } from './entries.ts';
import type { Step } from './entries.ts';

function foldOf(entries: readonly LogEntry[]): Fold {
  const fold = new Folder();
  for (const [index, entry] of entries.entries()) fold.add(entry, index);
  return fold;
}

const usual: Step[] = [
  { workspace: 0, publish: 1 },
  { workspace: 1, publish: 1 },
  { workspace: 0, publish: 2 },
  { workspace: 0, withdraw: 1, reason: 'pruned' },
  'heads',
];

/** Replaces fields of entry `index` of the usual ones, which was right. */
const altered = (index: number, fields: object) =>
  entriesOf(usual).with(index, { ...entriesOf(usual)[index]!, ...fields });
const extended = (...more: Step[]) => entriesOf([...usual, ...more]);

describe('the rules of the log', () => {
  test('give each workspace its publications in order, and what became of them', () => {
    const { histories, heads } = foldOf(entriesOf(usual));
    const { publications } = histories.get(workspaceOf(0))!;
    expect(publications.map(({ sequence, snapshotId }) => [sequence, snapshotId])).toEqual([
      [1, snapshotOf(1)],
      [2, snapshotOf(2)],
    ]);
    expect(publications[0]!.withdrawn).toEqual({ at: '2026-11-16T03:00:00.000Z', reason: 'pruned' });
    expect(currentOf(histories.get(workspaceOf(0))!)!.snapshotId).toBe(snapshotOf(2));
    expect(heads.get(workspaceOf(1))).toBe(sha256(encodeHistory(histories.get(workspaceOf(1))!)));
  });

  test.each<[string, () => LogEntry[], RegExp]>([
    [
      'a sequence that is skipped',
      () => altered(2, { sequence: 3 }),
      /entry 2 .*is publication 3 after 1 others/,
    ],
    ['a sequence that begins again', () => altered(2, { sequence: 1 }), /entry 2 .*is publication 1 after 1/],
    [
      'a snapshot that is published twice',
      () => extended({ workspace: 0, publish: 1 }),
      /is published twice/,
    ],
    [
      'a snapshot that was withdrawn and is published again',
      () => extended({ workspace: 0, withdraw: 2, reason: 'mistaken' }, { workspace: 0, publish: 2 }),
      /is published twice/,
    ],
    [
      'a withdrawal of what was never published',
      () => extended({ workspace: 1, withdraw: 2, reason: 'lost' }),
      /was never published/,
    ],
    [
      'another history',
      () => altered(1, { history: 'a'.repeat(64) }),
      /entry 1 .*does not follow from the log/,
    ],
    ['another reason', () => altered(3, { reason: 'lost' }), /entry 3 .*does not follow from the log/],
    ['other heads', () => altered(4, { heads: 'a'.repeat(64) }), /entry 4 .*heads .*do not follow/],
    [
      'a time that decreases',
      () => altered(4, { at: '2026-11-16T02:59:59.999Z' }),
      /entry 4 .*is before that/,
    ],
  ])('refuse %s', (_, entries, message) => {
    expect(() => foldOf(entries())).toThrow(message);
  });
});

/** What a function returns, or the message of what it throws. */
function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a withdrawn snapshot', () => {
  const reasons = fc.array(fc.constantFrom(...withdrawalReasons), { minLength: 2, maxLength: 5 });

  test('may be withdrawn again only if more of it goes', () => {
    fc.assert(
      fc.property(reasons, (some) => {
        const steps = some.map((reason): Step => ({ workspace: 0, withdraw: 1, reason }));
        const isAllowed = some.every((reason, at) => at === 0 || isDeeper(reason, some[at - 1]!));
        const reason = () => {
          const { histories } = foldOf(entriesOf([{ workspace: 0, publish: 1 }, ...steps]));
          return histories.get(workspaceOf(0))!.publications[0]!.withdrawn!.reason;
        };
        const expected = isAllowed ? some.at(-1) : `${snapshotOf(1)} is withdrawn twice`;
        expect(outcomeOf(reason)).toBe(expected);
      }),
    );
    const order = ['mistaken', 'pruned', 'lost', 'removed'] as const;
    for (const [at, reason] of order.entries())
      expect(order.map((other) => isDeeper(reason, other))).toEqual(order.map((_, other) => other < at));
  });

  test('is not current, and the newest of the others is', () => {
    const weeks = fc.uniqueArray(fc.nat(9), { minLength: 1 });
    fc.assert(
      fc.property(weeks, fc.func(fc.boolean()), (published, isWithdrawn) => {
        const withdrawn = published.filter((week) => isWithdrawn(week));
        const { histories } = foldOf(
          entriesOf([
            ...published.map((publish) => ({ workspace: 0, publish })),
            ...withdrawn.map((withdraw) => ({ workspace: 0, withdraw, reason: 'mistaken' as const })),
          ]),
        );
        const left = published.filter((week) => !withdrawn.includes(week));
        const expected = left.length === 0 ? undefined : snapshotOf(left.at(-1)!);
        expect(currentOf(histories.get(workspaceOf(0))!)?.snapshotId).toBe(expected);
      }),
    );
  });
});

describe('histories and heads', () => {
  test('are read as they were written, by the workspace that they are of', () => {
    const fold = foldOf(entriesOf(usual));
    for (const { workspaceId, hash, bytes } of encodedHistories(fold.histories)) {
      expect(decodeHistory(bytes, workspaceId, 'it')).toEqual(fold.histories.get(workspaceId));
      expect(hash).toBe(fold.heads.get(workspaceId));
      expect(() => decodeHistory(bytes, workspaceOf(7), 'it')).toThrow(
        `it is the history of workspace ${workspaceId}`,
      );
    }
    expect(decodeHeads(encodeHeads(fold.heads), 'it')).toEqual(fold.heads);
  });

  test('of the same workspaces have the same bytes, in whatever order they came', () => {
    const heads = new Map([3, 1, 2].map((number) => [workspaceOf(number), sha256(String(number))]));
    const reversed = new Map([...heads].toReversed());
    expect(encodeHeads(heads)).toEqual(encodeHeads(reversed));
  });
});
