import { beforeAll, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import type { LogView } from '../../../snapshots/log/follow.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import type { ProblemKind } from '../../../snapshots/verify/findings.ts';
import type { VerifyOptions } from '../../../snapshots/verify/report.ts';
import { copyOf, newSigner, placeOf, putBack } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import {
  auditedPlace,
  documentOf,
  entriesIn,
  kindsOf,
  otherId,
  verified,
  workspaceId,
  writeLog,
} from './audited.ts';
import type { Audited } from './audited.ts';

let audited: Audited;
/** The place, and what it was before the last commit. */
let place: Place;
let older: Place;
let thief: Signer;
beforeAll(async () => {
  audited = await auditedPlace();
  thief = await newSigner();
  older = audited.place;
  place = copyOf(older);
  await publishWeek(place, workspaceId, '2026-11-23');
});

const kinds = async (at: Place, options?: Partial<VerifyOptions>) =>
  kindsOf((await verified(at, options)).problems);
const keptOf = async ({ store }: Place) => [{ head: (await readCheckpoint(store))!, name: 'kept' }];

const UNSIGNED = /not signed with a trusted key/;

/** What readers report: of those that start, and of those that kept the newest checkpoint; `''`: nothing. */
type Readers = [starts: RegExp | '', follows: RegExp | ''];
/** What verify finds, without a checkpoint that was kept and with one. */
type Verdicts = [starts: ProblemKind[], follows: ProblemKind[]];

/** Only a checkpoint that was kept shows it. */
const ONLY_KEPT: Verdicts = [[], ['log_rewritten']];
const both = (kind: ProblemKind): Verdicts => [[kind], [kind]];

const branchOf = async (...weeks: string[]) => {
  const branch = copyOf(older);
  for (const week of weeks) await publishWeek(branch, otherId, week);
  return branch;
};

const signedByThief = async (copy: Place) => {
  const entries = await entriesIn(copy);
  writeLog(copy, [...entries, entries.at(-1)!], thief);
};
const ofAnotherLog = async (copy: Place) => {
  const other = { ...placeOf(copy.signer), origin: 'other.example/log' };
  await publishWeek(other, workspaceId, '2026-11-16');
  putBack(copy, other);
};
const withoutHeads = async (copy: Place) => {
  const entries = await entriesIn(copy);
  writeLog(copy, [...entries, entries.findLast(({ kind }) => kind === 'published')!], copy.signer);
};
const noCheckpoint = ({ objects }: Place) => objects.store.delete(CHECKPOINT_KEY);
const olderState = (copy: Place) => putBack(copy, older);
const branch = async (copy: Place) => putBack(copy, await branchOf('2026-11-23'));
const longerBranch = async (copy: Place) => putBack(copy, await branchOf('2026-11-23', '2026-11-30'));

const OTHER_LOG = /is of the log other\.example\/log/;
const NO_HEADS = /does not end with heads/;

/** What an attacker does to the store of a log, and who notices. */
const attacks: [string, (copy: Place) => unknown, Readers, Verdicts][] = [
  ['more entries, signed with another key', signedByThief, [UNSIGNED, UNSIGNED], both('log_unsigned')],
  ['another name', ofAnotherLog, [OTHER_LOG, OTHER_LOG], both('log_rewritten')],
  ['no checkpoint', noCheckpoint, ['', /checkpoint is missing/], both('log_missing')],
  ['an older state', olderState, ['', /\d+ entries, and had \d+ before: an older/], ONLY_KEPT],
  ['other entries, signed with the stolen key,', branch, ['', /has other entries than before/], ONLY_KEPT],
  ['a longer branch, signed with the stolen key,', longerBranch, ['', /the log was altered/], ONLY_KEPT],
  ['a last entry that is not heads, signed with it,', withoutHeads, [NO_HEADS, ''], both('log_damaged')],
];

test.each(attacks)('a store with %s is judged by what is known', async (_, attack, readers, verdicts) => {
  const known = (await readLog(place.store, place))!;
  const copy = copyOf(place);
  await attack(copy);
  const complaint = async (before: LogView | null) =>
    await readLog(copy.store, copy, before).then(() => '', String);
  for (const [index, before] of [null, known].entries())
    expect(await complaint(before)).toMatch(readers[index] === '' ? /^$/ : readers[index]!);
  expect([await kinds(copy), await kinds(copy, { kept: await keptOf(place) })]).toEqual(verdicts);
});

test('a kept checkpoint is compared although the log is gone, or only one workspace or snapshot is read', async () => {
  const kept = await keptOf(place);
  const select = () => ({ workspaceId, snapshotId: audited.ids[3]! });
  for (const which of [{}, { workspaceId }, { select }]) {
    expect(await kinds(older, { kept, ...which })).toEqual(['log_rewritten']);
    const empty = placeOf(thief);
    expect(await kinds(empty, { kept, allowEmpty: true, ...which })).toEqual(['log_missing']);
  }
  const copy = copyOf(place);
  copy.objects.store.delete(documentOf(otherId, audited.mistakenId));
  for (const which of [{ workspaceId }, { select }]) expect(await kinds(copy, which)).toEqual([]);
});

const DAY = 86_400_000;
const newestAt = Date.parse('2026-11-23T07:00:00Z');

test('an age that the newest publication may have is a limit, whatever else is appended; none may be of tomorrow', async () => {
  const notOlderThanMs = 9 * DAY;
  expect(await kinds(place, { notOlderThanMs, now: newestAt + 9 * DAY })).toEqual([]);
  const copy = copyOf(place);
  await rotateLog({ ...copy, clock: { now: () => newestAt + 9 * DAY } }, await newSigner());
  expect(await kinds(copy, { notOlderThanMs, now: newestAt + 9 * DAY + 1 })).toEqual(['log_old']);
  expect(await kinds(place, { now: newestAt - 5 * 60_000 })).toEqual([]);
  expect(await kinds(place, { now: newestAt - 5 * 60_000 - 1 })).toEqual(['log_in_future']);
});

test('after rotations a reader with only the new key finds all intact, and believes nothing that a thief signs with a retired key', async () => {
  const keys = [place.signer, await newSigner(), await newSigner()];
  const rotated = copyOf(place);
  for (const [index, week] of ['2026-11-30', '2026-12-07'].entries()) {
    await rotateLog(rotated, keys[index + 1]!);
    Object.assign(rotated, { signer: keys[index + 1]!, trust: keys[index + 1]!.trust });
    await publishWeek(rotated, workspaceId, week);
  }
  const { problems, checked } = await verified(rotated, { kept: await keptOf(place) });
  expect([problems, checked.snapshots]).toEqual([[], 11]);
  const entries = await entriesIn(rotated);
  for (const retired of keys.slice(0, 2)) {
    expect(await kinds({ ...rotated, trust: retired.trust })).toEqual(['log_unsigned']);
    const copy = { ...copyOf(rotated), trust: rotated.trust };
    writeLog(copy, entries, retired);
    expect(await kinds(copy)).toEqual(['log_unsigned']);
    const publishing = publishWeek({ ...copy, signer: retired }, workspaceId, '2026-12-14');
    await expect(publishing).rejects.toThrow(/the log is signed/);
  }
});
