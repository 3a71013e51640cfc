import { expect, test } from 'vitest';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import { UNKNOWN_KEY } from '../../../gateway/records/standing.ts';
import { one, requestsOf, two } from './each-records.ts';
import type { EachRecords } from './each-records.ts';

/** Standing and count of keys, in any database. */
export function describeAdmission(each: EachRecords): void {
  const { setPlan, makeKey, admit, standingOf } = each;

  test('an unknown key is refused, without ids, and an empty batch has an empty result', async () => {
    expect(await admit(storedForm(newKey()).hash)).toEqual([UNKNOWN_KEY]);
    expect(await admit()).toEqual([]);
  });

  test('the plans agency, scale and enterprise, in any case, include the API and their requests per minute', async () => {
    await setPlan('starter');
    const { hash } = await makeKey();
    for (const [plan, limit] of [
      ['agency', 60],
      ['scale', 120],
      ['enterprise', 600],
      ['AGENCY', 60],
      ['eNTERPRISE', 600],
    ] as const) {
      const record = await setPlan(plan);
      expect(record).toMatchObject({ plan, includesApi: true, requestsPerMinute: limit });
      expect(await standingOf(hash)).toMatchObject({ refused: null, limit });
    }
  });

  test('any other plan does not include the API', async () => {
    await setPlan('agency');
    const { hash } = await makeKey();
    for (const plan of ['starter', '', 'agency ', 'agencyx', '$.agency', 'constructor']) {
      expect(await setPlan(plan, 500)).toMatchObject({ includesApi: false, requestsPerMinute: null });
      expect(await standingOf(hash)).toMatchObject({ refused: 'plan_required', workspaceId: one });
    }
  });

  test("a workspace's own number overrides the plan, until the workspace is set without one", async () => {
    await setPlan('agency', 7);
    const { hash } = await makeKey();
    expect(await standingOf(hash)).toMatchObject({ limit: 7 });
    await setPlan('agency');
    expect(await standingOf(hash)).toMatchObject({ limit: 60 });
  });

  test('all keys of a workspace share one count, another workspace has its own', async () => {
    await setPlan('agency');
    await setPlan('agency', null, two);
    const [a, b, c] = [await makeKey(), await makeKey(), await makeKey(two)];
    const shared = [await standingOf(a.hash, 3), await standingOf(b.hash, 2)];
    expect(shared[0]).toMatchObject({ used: 3 });
    expect(requestsOf(shared)).toBe(5);
    expect(await standingOf(c.hash)).toMatchObject({ used: 1 });
  });

  test('a batch of several keys of one workspace is counted once, in full, with results in its order', async () => {
    await setPlan('agency');
    const [a, b] = [await makeKey(), await makeKey()];
    const standings = await each.records.admit([
      { hash: a.hash, requests: 2 },
      { hash: storedForm(newKey()).hash, requests: 9 },
      { hash: b.hash, requests: 5 },
    ]);
    const [first, second] = (await each.records.listKeys(one)).map(({ id }) => id);
    expect(standings).toMatchObject([{ keyId: first, used: 7 }, UNKNOWN_KEY, { keyId: second, used: 7 }]);
    expect(await admit(b.hash, a.hash)).toMatchObject([{ keyId: second }, { keyId: first }]);
    expect(requestsOf([standings[0], await standingOf(a.hash)])).toBe(10);
  });

  test('a workspace without a count, whatever lost it, gets a new one, and harms no other key of its batch', async () => {
    await setPlan('agency', 5);
    await setPlan('agency', 5, two);
    const [lost, other] = [await makeKey(), await makeKey(two)];
    await each.fixture.loseCounts();
    await standingOf(other.hash);
    const batch = await admit(lost.hash, other.hash, lost.hash.replaceAll(/./g, '0'));
    expect(batch).toMatchObject([{ refused: null, limit: 5 }, { refused: null, limit: 5 }, UNKNOWN_KEY]);
    expect(requestsOf([batch[0], await standingOf(lost.hash, 7)])).toBe(8);
  });

  test('revoked and planless keys are not counted', async () => {
    await setPlan('agency');
    const [good, revoked] = [await makeKey(), await makeKey()];
    await each.records.revokeKey(revoked.prefix);
    const first = await admit(revoked.hash, good.hash);
    expect(first).toMatchObject([{ refused: 'invalid_key' }, { used: 1 }]);
    await setPlan('starter');
    expect(await admit(good.hash, revoked.hash)).toMatchObject([
      { refused: 'plan_required' },
      { refused: 'invalid_key', workspaceId: one },
    ]);
    await setPlan('agency');
    expect(requestsOf([first[1], await standingOf(good.hash)])).toBe(2);
  });

  test.each([
    ['continues in its minute', 0, { used: 42, minuteEnds: 1 }],
    ['starts at zero in a new minute', -1, { used: 1, minuteEnds: 1 }],
    [
      'stays open for a process that read the clock just before the minute began',
      1,
      { used: 42, minuteEnds: 2 },
    ],
    ['ignores a minute of a clock that was an hour ahead', 60, { used: 1, minuteEnds: 1 }],
  ])('a count %s', async (_what, minutesFromNow, { used, minuteEnds }) => {
    await setPlan('agency');
    const { hash } = await makeKey();
    await standingOf(hash);
    for (;;) {
      const now = await each.fixture.setCounts(41, minutesFromNow);
      const standing = await standingOf(hash);
      if ((await each.fixture.setCounts(0, 0)) !== now) continue; // a minute has ended in between
      expect(standing).toMatchObject({ used, minuteEnds: (now + minuteEnds) * 60 });
      return;
    }
  });
}
