import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AdmissionQueue } from '../../../gateway/admission/admission.ts';
import type { Admission } from '../../../gateway/admission/allowance.ts';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import type { Records } from '../../../gateway/records/records.ts';
import type { KeyStanding } from '../../../gateway/records/standing.ts';
import { openRecords, openRecordsInPostgres, startPostgres } from '../../adapters/read-over-http.ts';
import type { TestPostgres } from '../../adapters/read-over-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { seededRandom } from '../../support/random.ts';

/** A period, in steps of a shared clock. */
interface Interval {
  from: number;
  to: number;
}
interface Change<State> extends Interval {
  state: State;
}
interface Request extends Interval {
  key: string;
  workspaceId: string;
  admission: Admission;
}

const GATEWAYS = 3;
const LIMIT = 40;
const quiet = { batchAnswered: () => undefined, admissionFailed: () => undefined };
const workspaceIds = [1, 2, 3].map((n) => `${n}1111111-1111-4111-8111-111111111111`);

/** Several gateways on the same records, closed at the end of the test. */
async function openGateways(open: () => Promise<Records>, batchesAtOnce: number) {
  const all = await Promise.all(Array.from({ length: GATEWAYS }, open));
  onTestFinished(async () => void (await Promise.all(all.map((records) => records.close()))));
  const options = { batchesAtOnce, longestQueue: 1000, maxWaitMs: 10_000, observer: quiet };
  const gatesOf = (records: readonly Pick<Records, 'admit'>[]) =>
    records.map((each) => new AdmissionQueue(each, options));
  return { all, gatesOf };
}

/** Requests, revocations and plan changes in random order. */
function describeHistories(name: string, open: () => Promise<Records>, batchesAtOnce: number): void {
  describe(`histories with records in ${name}`, () => {
    test.each([1, 2])(
      'from seed %i: no response reflects a state that ended before its request, and no minute exceeds the allowance',
      async (seed) => {
        const { all, gatesOf } = await openGateways(open, batchesAtOnce);
        const history = await play(seededRandom(seed), all, gatesOf(all));
        expect(history.requests.length).toBeGreaterThan(500);
        const outcomes = new Set(history.requests.map(({ admission }) => admission.refused));
        expect(outcomes).toEqual(new Set([null, 'invalid_key', 'plan_required', 'rate_limited']));
        expect(wrongAnswers(history)).toEqual([]);
        const admitted = history.requests.flatMap(({ admission }) =>
          admission.refused === null ? [admission] : [],
        );
        const minutes = Map.groupBy(
          admitted,
          ({ workspaceId, minuteEnds }) => `${workspaceId} ${minuteEnds}`,
        );
        for (const places of minutes.values()) {
          expect(places.length).toBeLessThanOrEqual(LIMIT);
          expect(new Set(places.map(({ remaining }) => remaining)).size).toBe(places.length);
        }
      },
    );
  });
}

interface History {
  requests: Request[];
  revocations: Map<string, Interval>;
  plans: Map<string, Change<'agency' | 'starter'>[]>;
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

function wrongAnswers(history: History): Request[] {
  return history.requests.filter(
    (request) => !possibleOutcomes(history, request).has(request.admission.refused),
  );
}

/** Wrong records for comparison: they respond for a key as they did a few batches ago. */
function rememberingRecords(records: Records): Pick<Records, 'admit'> {
  const remembered = new Map<string, { standing: KeyStanding; uses: number }>();
  return {
    admit: async (uses) => {
      const fresh = await records.admit(uses);
      return uses.map(({ hash }, index) => {
        const known = remembered.get(hash);
        if (known !== undefined && known.uses++ < 10) return known.standing;
        remembered.set(hash, { standing: fresh[index]!, uses: 0 });
        return fresh[index]!;
      });
    },
  };
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

let folder: string;
let server: TestPostgres;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await temporaryFolder();
  url = await server.createDatabase();
});

describeHistories('SQLite', async () => openRecords(folder), 1);
describeHistories('PostgreSQL', async () => await openRecordsInPostgres(url, 10_000), 2);

test('such a history would detect keys that are cached for a moment', async () => {
  const { all, gatesOf } = await openGateways(async () => openRecords(folder), 1);
  const caching = gatesOf(all.map(rememberingRecords));
  expect(wrongAnswers(await play(seededRandom(1), all, caching))).not.toEqual([]);
});
