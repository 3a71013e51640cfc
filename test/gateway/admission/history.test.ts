import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { AdmissionQueue } from '../../../gateway/admission/admission.ts';
import type { Admission } from '../../../gateway/admission/allowance.ts';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import type { Records } from '../../../gateway/records/records.ts';
import { UNKNOWN_KEY } from '../../../gateway/records/standing.ts';
import type { KeyStanding, KeyUse } from '../../../gateway/records/standing.ts';
import { openRecords, openRecordsInPostgres, startPostgres } from '../../adapters/read-over-http.ts';
import type { TestPostgres } from '../../adapters/read-over-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { seededRandom } from '../../support/random.ts';

/** A period, in steps of a shared clock. */
interface Interval {
  from: number;
  to: number;
}
interface Request extends Interval {
  key: string;
  workspaceId: string;
  admission: Admission;
}

const GATEWAYS = 3;
const LIMIT = 40;
const workspaceIds = [1, 2, 3].map((n) => `${n}1111111-1111-4111-8111-111111111111`);

interface History {
  requests: Request[];
  revocations: Map<string, Interval>;
  plans: Map<string, (Interval & { state: 'agency' | 'starter' })[]>;
}

async function play(
  random: () => number,
  all: readonly Records[],
  gates: readonly AdmissionQueue[],
): Promise<History> {
  let clock = 0;
  const history: History = { requests: [], revocations: new Map(), plans: new Map() };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const pause = async () => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns--) await new Promise(setImmediate);
  };

  const setPlan = async (workspaceId: string, plan: 'agency' | 'starter') => {
    const from = clock++;
    await pick(all).setWorkspace({ id: workspaceId, name: 'W', plan, requestsPerMinute: LIMIT });
    const changes = history.plans.get(workspaceId) ?? [];
    history.plans.set(workspaceId, [...changes, { from, to: clock++, state: plan }]);
  };
  const revoke = async (key: string) => {
    const from = clock++;
    await pick(all).revokeKey(key.slice(0, 12));
    history.revocations.set(key, { from, to: clock++ });
  };
  const ask = async (key: string, workspaceId: string) => {
    const from = clock++;
    const admission = await pick(gates).admit(key);
    history.requests.push({ from, to: clock++, key, workspaceId, admission });
  };

  const playWorkspace = async (workspaceId: string) => {
    await setPlan(workspaceId, 'agency');
    const keys = Array.from({ length: 6 }, newKey);
    for (const key of keys) await pick(all).createKey(workspaceId, storedForm(key), null);
    const clients = Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 40; n++) {
        await ask(pick(keys), workspaceId);
        await pause();
      }
    });
    const owner = async () => {
      for (const key of keys.slice(0, 4)) {
        await pause();
        await setPlan(workspaceId, 'starter');
        await ask(keys.at(-1)!, workspaceId); // at least this one meets the plan
        await revoke(key);
        await ask(key, workspaceId); // and this one the revocation
        await setPlan(workspaceId, 'agency');
        await pause();
      }
    };
    await Promise.all([...clients, owner()]);
  };

  await Promise.all(workspaceIds.map(playWorkspace));
  return history;
}

/** Counts from now on; returns a function for how many batches the records were asked for at the same time, at most. */
function batchesAtOnceIn(records: Records): () => number {
  const ask = records.admit.bind(records);
  let [now, most] = [0, 0];
  records.admit = async (uses) => {
    most = Math.max(most, (now += 1));
    try {
      return await ask(uses);
    } finally {
      now -= 1;
    }
  };
  return () => most;
}

/** The allowed outcomes of a request: by the last state before it began, or a state during it. */
function possibleOutcomes({ revocations, plans }: History, request: Request): Set<Admission['refused']> {
  const possible = new Set<Admission['refused']>();
  const revocation = revocations.get(request.key);
  if (revocation !== undefined && revocation.from < request.to) possible.add('invalid_key');
  if (revocation !== undefined && revocation.to < request.from) return possible;
  const changes = plans.get(request.workspaceId)!;
  const before = changes.findLast(({ to }) => to < request.from);
  const during = changes.filter(({ from, to }) => from < request.to && to > request.from);
  for (const change of [before, ...during]) {
    if (change?.state === 'starter') possible.add('plan_required');
    if (change?.state === 'agency') possible.add(null).add('rate_limited');
  }
  return possible;
}

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test.each([
  ['SQLite', 1],
  ['PostgreSQL', 2],
])(
  'requests, revocations and plan changes in random order, with records in %s: no response reflects a state that ended before its request, and each minute admits the allowance, if as many ask, and no more',
  async (name, batchesAtOnce) => {
    const [folder, url] = [await temporaryFolder(), await server.createDatabase()];
    const open = async () =>
      name === 'SQLite' ? openRecords(folder) : await openRecordsInPostgres(url, 10_000);
    const all = await Promise.all(Array.from({ length: GATEWAYS }, open));
    onTestFinished(async () => void (await Promise.all(all.map((records) => records.close()))));
    const options = { batchesAtOnce, longestQueue: 1000, maxWaitMs: 10_000, observer: reports().observer };
    const mostAtOnce = all.map(batchesAtOnceIn);
    const gates = all.map((each) => new AdmissionQueue(each, options));
    const history = await play(seededRandom(1), all, gates);
    const outcomes = new Set(history.requests.map(({ admission }) => admission.refused));
    expect(outcomes).toEqual(new Set([null, 'invalid_key', 'plan_required', 'rate_limited']));
    const isWrong = (request: Request) => !possibleOutcomes(history, request).has(request.admission.refused);
    expect(history.requests.filter(isWrong)).toEqual([]);
    expect(Math.max(...mostAtOnce.map((most) => most()))).toBe(batchesAtOnce);
    const counted = history.requests.flatMap(({ admission }) =>
      'remaining' in admission ? [admission] : [],
    );
    const minutes = Map.groupBy(counted, ({ workspaceId, minuteEnds }) => `${workspaceId} ${minuteEnds}`);
    for (const ofMinute of minutes.values()) {
      const places = ofMinute.flatMap(({ refused, remaining }) => (refused === null ? [remaining] : []));
      const everyPlace = Array.from({ length: Math.min(LIMIT, ofMinute.length) }, (_, n) => LIMIT - 1 - n);
      expect(places.toSorted((a, b) => b - a)).toEqual(everyPlace);
    }
  },
);

/** What an admission queue reports. */
function reports() {
  const events: unknown[] = [];
  const batchAnswered = (requests: number, keys: number) => void events.push(`${requests} of ${keys} keys`);
  return {
    events,
    observer: { batchAnswered, admissionFailed: (error: unknown) => void events.push(String(error)) },
  };
}

test('requests of one turn are admitted in batches of 64, two at once, and are refused if the queue is full', async () => {
  const { events, observer } = reports();
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const admit = async (uses: readonly KeyUse[]) => {
    events.push(uses.length);
    await answer;
    return uses.map(() => UNKNOWN_KEY);
  };
  const options = { batchesAtOnce: 2, longestQueue: 150, maxWaitMs: 10_000, observer };
  const queue = new AdmissionQueue({ admit }, options);
  const all = Array.from({ length: 151 }, (_, n) => queue.admit(`key ${n % 50}`));
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
  const full = 'Error: more than 150 requests wait for the records';
  expect([events, queue.waiting()]).toEqual([[full, 50, 50], 150]);
  resolve();
  const refusals = (await Promise.all(all)).map(({ refused }) => refused);
  expect(refusals).toEqual([...Array<string>(150).fill('invalid_key'), 'internal']);
  expect(events.slice(3)).toEqual(['64 of 50 keys', '64 of 50 keys', 22, '22 of 22 keys']);
});

test.each(['resolve', 'reject'] as const)(
  'a request that has waited too long fails, the records are not asked for it later, and what they say then (%s) is ignored',
  async (settle) => {
    const { events, observer } = reports();
    const asked: unknown[] = [];
    const answer = Promise.withResolvers<KeyStanding[]>();
    const records = { admit: (uses: readonly KeyUse[]) => (asked.push(...uses), answer.promise) };
    const options = { batchesAtOnce: 1, longestQueue: 10, maxWaitMs: 20, observer };
    const queue = new AdmissionQueue(records, options);
    const first = queue.admit('first');
    await new Promise(setImmediate);
    const both = await Promise.all([first, queue.admit('second')]);
    answer[settle]([]);
    await new Promise(setImmediate);
    const third = queue.admit('in a turn that takes too long');
    for (const end = performance.now() + 21; performance.now() < end;);
    const all = [...both, await third].map(({ refused }) => refused);
    await new Promise(setImmediate);
    expect(all).toEqual(Array(3).fill('internal'));
    expect(events).toEqual(Array(3).fill('Error: the records did not answer within 20 ms'));
    expect([asked.length, queue.waiting()]).toEqual([1, 0]);
  },
);
