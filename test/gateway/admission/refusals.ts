import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countOf, newKey, setPlan, startTestGateway, workspaceId } from '../../adapters/read-over-http.ts';
import type { Records, TestGateway } from '../../adapters/read-over-http.ts';
import { ask, bearer } from '../ask.ts';
import { expectError } from './error-answer.ts';
import type { ErrorCode } from './error-answer.ts';

/** Every refusal of one path, over HTTP: headers as a client sends them, twice too. */
export function describeRefusals(
  name: string,
  openRecords: (folder: string) => Promise<Records>,
  path: string,
): void {
  describe(`refusals of ${path} with records in ${name}`, () => {
    let gateway: TestGateway;
    let base: string;
    let key: string;

    beforeAll(async () => {
      gateway = await startTestGateway(openRecords);
      base = await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    });
    afterAll(() => gateway.close());
    beforeEach(async () => {
      await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
      key = await gateway.createKey();
    });

    const lastUse = async (usedKey: string) =>
      (await gateway.records.listKeys(workspaceId)).find(({ prefix }) => usedKey.startsWith(prefix))!
        .lastUsedAt;

    /** The number of requests counted while `work` runs, within one minute. */
    const countedBy = async (work: () => Promise<void>): Promise<number> => {
      for (;;) {
        const before = await countOf(gateway.records, key);
        await work();
        const after = await countOf(gateway.records, key);
        if (before.minuteEnds === after.minuteEnds) return after.used - before.used;
      }
    };

    test('without a key is 401 missing_key', async () => {
      for (const headers of [
        [],
        ['x-api-key', ''],
        ['Authorization', ''],
        ['Authorization', 'Bearer'],
        ['Authorization', 'Bearer   '],
        ['Authorization', 'Basic dXNlcjpwYXNz'],
        ['Authorization', 'Bearers vis_000'],
        ['Cookie', `key=${newKey()}`],
      ])
        expectError(await ask(base, path, { headers }), 'missing_key');
    });

    test('with a key in either header is answered, also next to what is no key', async () => {
      for (const headers of [
        ['AUTHORIZATION', `BEARER   ${key}  `],
        ['Authorization', `Bearer\t${key}`],
        ['X-Api-Key', ` ${key} `],
        [...bearer(key), 'x-api-key', key],
        ['Authorization', 'Basic dXNlcjpwYXNz', 'x-api-key', key],
        [...bearer(key), 'x-api-key', ''],
      ])
        expect([headers, (await ask(base, path, { headers })).status]).toEqual([headers, 200]);
    });

    test('malformed and unknown keys are 401 invalid_key', async () => {
      const forms: string[][] = [
        bearer(newKey()),
        ['x-api-key', newKey()],
        bearer('vis_'),
        bearer(key.slice(0, -1)),
        bearer(`${key}0`),
        bearer(key.replace('vis_', 'VIS_')),
        bearer(`vis_${key.slice(4).toUpperCase()}`),
        bearer(key.slice(4)),
        bearer(`${key.slice(0, -1)}g`),
      ];
      for (const headers of forms) expectError(await ask(base, path, { headers }), 'invalid_key');
      expect(await lastUse(key)).toBeNull();
    });

    test('ambiguous keys are 401 invalid_key, which updates the last-used time of each, and counts nothing', async () => {
      const forms: ((known: string) => string[])[] = [
        (known) => bearer(`${known} `.repeat(2)),
        (known) => ['x-api-key', `Bearer ${known}`],
        (known) => ['x-api-key', `${known}, ${known}`],
        (known) => ['Authorization', `Bearer ${known}, Bearer ${known}`],
        (known) => [...bearer(known), 'x-api-key', newKey()],
        (known) => [...bearer(newKey()), 'x-api-key', known],
        (known) => [...bearer(known), 'x-api-key', key],
        (known) => [...bearer(known), ...bearer(known)],
        (known) => [...bearer(known), ...bearer(newKey())],
        (known) => [...bearer(known), 'authorization', 'Basic dXNlcjpwYXNz'],
        (known) => ['x-api-key', known, 'X-API-Key', known],
        (known) => ['x-api-key', known, 'X-API-Key', ''],
      ];
      const counted = await countedBy(async () => {
        for (const headersOf of forms) {
          const known = await gateway.createKey();
          expectError(await ask(base, path, { headers: headersOf(known) }), 'invalid_key');
          expect(await lastUse(known)).not.toBeNull();
        }
      });
      expect(await lastUse(key)).not.toBeNull();
      expect(counted).toBe(0);
    });

    test('a revoked key is 401 invalid_key from the next request, which still updates its last-used time', async () => {
      expect((await ask(base, path, { headers: bearer(key) })).status).toBe(200);
      const unused = await gateway.createKey();
      for (const revoked of [key, unused]) {
        await gateway.records.revokeKey(revoked.slice(0, 12));
        expectError(await ask(base, path, { headers: bearer(revoked) }), 'invalid_key');
      }
      expect(await lastUse(unused)).not.toBeNull();
    });

    test.each<[ErrorCode, string, number]>([
      ['plan_required', 'starter', 1_000_000],
      ['rate_limited', 'agency', 0],
    ])(
      'a key is %s from the next request after a change of its workspace, which updates the last-used time, and works again after a change back',
      async (code, plan, requestsPerMinute) => {
        await setPlan(gateway.records, workspaceId, plan, requestsPerMinute);
        const { headers } = expectError(await ask(base, path, { headers: bearer(key) }), code);
        expect(await lastUse(key)).not.toBeNull();
        const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'];
        const said = limits.map((header) => headers[header]);
        const seconds = expect.stringMatching(/^(?:[1-9]|[1-5]\d|60)$/) as string;
        expect(said).toEqual(code === 'rate_limited' ? ['0', '0', seconds] : Array(3));
        await setPlan(gateway.records, workspaceId, 'Scale', 1_000_000);
        expect((await ask(base, path, { headers: bearer(key) })).status).toBe(200);
      },
    );

    test('any other method is refused like GET, is 404 not_found to the admitted, and counts', async () => {
      for (const method of [
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'HEAD',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'QUERY',
      ]) {
        const body = method === 'POST' ? '{"not json' : '';
        const headers =
          body === '' ? [] : ['Content-Type', 'text/odd', 'Content-Length', String(body.length)];
        const asked = async (credential: string[]) =>
          await ask(base, path, { method, headers: [...headers, ...credential], body });
        expectError(await asked([]), 'missing_key', method);
        const counted = await countedBy(async () => {
          expectError(await asked(bearer(key)), 'not_found', method);
        });
        expect([method, counted]).toEqual([method, 1]);
      }
    });
  });
}
