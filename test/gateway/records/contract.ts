import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import type { Records, WorkspaceSettings } from '../../../gateway/records/records.ts';
import { UNKNOWN_KEY } from '../../../gateway/records/standing.ts';
import type { KeyStanding } from '../../../gateway/records/standing.ts';

export interface RecordsFixture {
  records: Records;
  /** Runs a statement in another session. */
  execute(sql: string): unknown;
  /** Of the tables. */
  schema: string;
}

export const one = '11111111-1111-4111-8111-111111111111';
export const two = '22222222-2222-4222-8222-222222222222';

/** Commands that need records and must not make or change their schema. */
export const managing = [
  '$ records workspace list',
  `$ records key list ${one}`,
  `$ records key create ${one}`,
  '$ records key revoke vis_00000000',
  '$ records log show',
  '$ records log forget sightline.example/log',
];

/** The number of counted requests of one workspace, also if a minute ends in between and the count starts at zero. */
export function requestsOf(standings: readonly (KeyStanding | undefined)[]): number {
  const used = new Map<number, number>();
  for (const standing of standings) {
    if (standing?.refused !== null) throw new Error(`not counted, but ${standing?.refused}`);
    used.set(standing.minuteEnds, Math.max(used.get(standing.minuteEnds) ?? 0, standing.used));
  }
  return [...used.values()].reduce((sum, count) => sum + count, 0);
}

/** The contract of records that gateway and commands need, for every database. */
export function describeRecords(name: string, makeFixture: () => Promise<RecordsFixture>): void {
  describe(`records in ${name}`, () => {
    let fixture: RecordsFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.records.close());
    const setPlan = async (plan: string, requestsPerMinute: number | null = null, id = one) =>
      await fixture.records.setWorkspace({ id, name: 'One', plan, requestsPerMinute });
    const makeKey = async (id = one) => {
      const stored = storedForm(newKey());
      expect(await fixture.records.createKey(id, stored, null)).not.toBeNull();
      return stored;
    };
    /** One request of each key, in one batch. */
    const admit = async (...hashes: string[]) =>
      await fixture.records.admit(hashes.map((hash) => ({ hash, requests: 1 })));
    const standingOf = async (hash: string, requests = 1) =>
      (await fixture.records.admit([{ hash, requests }]))[0]!;
    /** Sets all counts, as if last changed in the minute that many from now. @returns the minute now, since 1970 */
    const setCounts = async (requests: number, minutesFromNow: number) => {
      const now = Math.floor(Date.now() / 60_000);
      const minute = now + minutesFromNow;
      await fixture.execute(
        `update ${fixture.schema}.minute_counts set requests = ${requests}, minute = ${minute}`,
      );
      return now;
    };

    test.each([
      ['agency', 60],
      ['scale', 120],
      ['eNTERPRISE', 600],
      ['starter', null],
      ['', null],
      ['agency ', null],
      ['agencyx', null],
      ['$.agency', null],
      ['constructor', null],
    ])(
      'the plan "%s" has %j requests per minute; without any, it does not include the API',
      async (plan, limit) => {
        await setPlan(limit === null ? 'agency' : 'starter');
        const { hash } = await makeKey();
        const includesApi = limit !== null;
        expect(await setPlan(plan)).toMatchObject({ plan, includesApi, requestsPerMinute: limit });
        const standing = includesApi
          ? { refused: null, limit }
          : { refused: 'plan_required', workspaceId: one };
        expect(await standingOf(hash)).toMatchObject(standing);
      },
    );

    test('all keys of a workspace share one count, also in a batch, with results in its order', async () => {
      await setPlan('agency');
      await setPlan('agency', null, two);
      const [a, b, other] = [await makeKey(), await makeKey(), await makeKey(two)];
      const standings = await fixture.records.admit([
        { hash: a.hash, requests: 2 },
        { hash: storedForm(newKey()).hash, requests: 9 },
        { hash: b.hash, requests: 5 },
      ]);
      const [first, second] = (await fixture.records.listKeys(one)).map(({ id }) => id);
      const used = 7;
      expect(standings).toMatchObject([{ keyId: first, used }, UNKNOWN_KEY, { keyId: second, used }]);
      expect(await admit(b.hash, a.hash)).toMatchObject([{ keyId: second }, { keyId: first }]);
      expect(requestsOf([standings[0], await standingOf(a.hash)])).toBe(10);
      expect(await standingOf(other.hash)).toMatchObject({ used: 1 });
      expect(await admit()).toEqual([]);
    });

    test('the last use of a key is the second of its newest request', async () => {
      await setPlan('agency');
      const { hash } = await makeKey();
      for (const plan of ['agency', 'agency', 'starter', 'starter']) {
        await setPlan(plan);
        const began = Date.now();
        await standingOf(hash);
        const used = Date.parse((await fixture.records.listKeys(one))[0]!.lastUsedAt!);
        expect(used % 1000).toBe(0);
        expect(used).toBeGreaterThan(began - 1000);
        expect(used).toBeLessThanOrEqual(Date.now());
        const before = '2026-01-01T00:00:00.000Z';
        await fixture.execute(`update ${fixture.schema}.keys set last_used_at = '${before}'`);
      }
    });

    test('a workspace without a count, whatever lost it, gets a new one, and harms no other key of its batch', async () => {
      await setPlan('agency', 5);
      await setPlan('agency', 5, two);
      const [lost, other] = [await makeKey(), await makeKey(two)];
      await fixture.execute(`delete from ${fixture.schema}.minute_counts`);
      await standingOf(other.hash);
      const batch = await admit(lost.hash, other.hash, lost.hash.replaceAll(/./g, '0'));
      expect(batch).toMatchObject([{ refused: null, limit: 5 }, { refused: null, limit: 5 }, UNKNOWN_KEY]);
      expect(requestsOf([batch[0], await standingOf(lost.hash, 7)])).toBe(8);
    });

    test('revoked and planless keys are not counted, but used', async () => {
      await setPlan('agency');
      const [good, revoked] = [await makeKey(), await makeKey()];
      await fixture.records.revokeKey(revoked.prefix);
      const uses = async () =>
        (await fixture.records.listKeys(one)).map(({ lastUsedAt }) => lastUsedAt !== null);
      expect(await uses()).toEqual([false, false]);
      await setPlan('starter');
      expect(await admit(good.hash, revoked.hash)).toMatchObject([
        { refused: 'plan_required' },
        { refused: 'invalid_key', workspaceId: one },
      ]);
      expect(await uses()).toEqual([true, true]);
      await setPlan('agency');
      expect(await admit(revoked.hash, good.hash)).toMatchObject([{ refused: 'invalid_key' }, { used: 1 }]);
    });

    test.each([
      ['continues in its minute', 0, { used: 42, minuteEnds: 1 }],
      ['starts at zero in a new minute', -1, { used: 1, minuteEnds: 1 }],
      ['stays open for a process whose clock is just behind', 1, { used: 42, minuteEnds: 2 }],
      ['ignores a minute of a clock that was an hour ahead', 60, { used: 1, minuteEnds: 1 }],
    ])('a count %s', async (_what, minutesFromNow, { used, minuteEnds }) => {
      await setPlan('agency');
      const { hash } = await makeKey();
      await standingOf(hash);
      for (;;) {
        const now = await setCounts(41, minutesFromNow);
        const standing = await standingOf(hash);
        if ((await setCounts(0, 0)) !== now) continue; // a minute has ended in between
        expect(standing).toMatchObject({ used, minuteEnds: (now + minuteEnds) * 60 });
        return;
      }
    });

    test('keys are listed oldest first, with label, and without hash; none is created if its prefix is taken', async () => {
      await setPlan('agency');
      await fixture.records.createKey(one, storedForm(newKey()), 'first');
      const { prefix } = storedForm(newKey());
      await fixture.records.createKey(one, { hash: storedForm(newKey()).hash, prefix }, 'second');
      expect(
        await fixture.records.createKey(one, { hash: storedForm(newKey()).hash, prefix }, null),
      ).toBeNull();
      const keys = await fixture.records.listKeys(one);
      expect(keys.map(({ label }) => label)).toEqual(['first', 'second']);
      expect(keys[0]).not.toHaveProperty('hash');
    });

    test('workspaces are listed by id, with their active keys, and failures name the workspace or the key', async () => {
      const { records } = fixture;
      await setPlan('starter', 5);
      await expect(records.createKey(two, storedForm(newKey()), null)).rejects.toThrow(`no workspace ${two}`);
      await expect(records.listKeys(two)).rejects.toThrow(`no workspace ${two}`);
      await setPlan('scale', null, two);
      await makeKey(two);
      const { prefix } = await makeKey(two);
      await expect(records.revokeKey('vis_00000000')).rejects.toThrow('no key begins with vis_00000000');
      const revokedAt = expect.any(String) as string;
      expect(await records.revokeKey(prefix)).toMatchObject({ prefix, revokedAt });
      await expect(records.revokeKey(prefix)).rejects.toThrow(`${prefix} was revoked already`);
      expect(await records.listWorkspaces()).toEqual([
        { id: one, name: 'One', plan: 'starter', includesApi: false, requestsPerMinute: null, activeKeys: 0 },
        { id: two, name: 'One', plan: 'scale', includesApi: true, requestsPerMinute: 120, activeKeys: 1 },
      ]);
    });

    test('a setting that is not given keeps its value, and a new workspace needs a name and a plan', async () => {
      const set = async (settings: Omit<WorkspaceSettings, 'id'>) =>
        await fixture.records.setWorkspace({ id: one, ...settings });
      await expect(set({ name: 'One' })).rejects.toThrow('to create it, give --name and --plan');
      await expect(set({ plan: 'scale' })).rejects.toThrow('to create it, give --name and --plan');
      expect(await fixture.records.listWorkspaces()).toEqual([]);
      await set({ name: 'One', plan: 'scale', requestsPerMinute: 5000 });
      const { hash } = await makeKey();
      const changed = await set({ name: 'One Ltd' });
      expect(changed).toMatchObject({ name: 'One Ltd', plan: 'scale', requestsPerMinute: 5000 });
      expect(await set({ plan: 'agency' })).toMatchObject({ name: 'One Ltd', requestsPerMinute: 5000 });
      expect(await standingOf(hash)).toMatchObject({ refused: null, limit: 5000 });
      expect(await set({ requestsPerMinute: null })).toMatchObject({ plan: 'agency', requestsPerMinute: 60 });
      expect(await standingOf(hash)).toMatchObject({ refused: null, limit: 60 });
    });

    test('the checkpoint of a log is replaced by a larger one only, and can be forgotten', async () => {
      const { records } = fixture;
      expect(await records.readCheckpoint('a.example/log')).toBeNull();
      await Promise.all([3, 5, 4].map((size) => records.keepCheckpoint('a.example/log', size, `of ${size}`)));
      await records.keepCheckpoint('a.example/log', 5, 'another of 5');
      await records.keepCheckpoint('b.example/log', 2, 'of 2');
      expect(await records.readCheckpoint('a.example/log')).toBe('of 5');
      const keptAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
      const kept = { origin: 'a.example/log', note: 'of 5', keptAt };
      const other = { ...kept, origin: 'b.example/log', note: 'of 2' };
      expect(await records.listCheckpoints()).toEqual([kept, other]);
      expect(await records.forgetCheckpoint('a.example/log')).toEqual(kept);
      await expect(records.forgetCheckpoint('a.example/log')).rejects.toThrow('no checkpoint is kept');
      await records.keepCheckpoint('a.example/log', 1, 'of 1');
      expect(await records.readCheckpoint('a.example/log')).toBe('of 1');
    });
  });
}
