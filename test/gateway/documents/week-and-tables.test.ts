import { afterAll, beforeAll, expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import { emptyTable } from '../../../lib/tables/encode.ts';
import { apiTables, tableNames } from '../../../lib/tables/names.ts';
import { ask, bearer } from '../ask.ts';
import { setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

let gateway: ListeningGateway;
/** Of a workspace for which nothing was published. */
let newcomer: string;
beforeAll(async () => {
  gateway = await startListeningGateway();
  const unpublished = '33333333-3333-4333-8333-333333333333';
  await setPlan(gateway.records, unpublished, 'agency', 1000);
  newcomer = await gateway.createKey(unpublished);
});
afterAll(async () => await gateway.close());

const get = async (path: string, key = gateway.key) =>
  await ask(gateway.base, `/api/v1/${path}`, { headers: bearer(key) });

test('the week and every table are served, now and by the id of their snapshot', async () => {
  for (const path of ['week', ...apiTables.map((table) => `tables/${table}`)]) {
    const current = await get(path);
    const { data } = JSON.parse(current.text) as { data: unknown };
    expect([path, complaintsAbout(path === 'week' ? 'week' : 'table', data)]).toEqual([path, []]);
    const past = await get(`snapshots/${current.headers['x-snapshot-id'] as string}/${path}`);
    expect([past.status, past.text]).toEqual([200, current.text]);
    expect(past.headers['cache-control']).toContain('immutable');
  }
});

test('a table that only the export has, or nobody, is 404', async () => {
  const snapshotId = (await get('week')).headers['x-snapshot-id'] as string;
  const exported = tableNames.filter((name) => !(apiTables as string[]).includes(name));
  for (const table of [...exported, 'unknown', 'Brands', 'brands.json', '%00'])
    for (const answer of [
      await get(`tables/${table}`),
      await get(`snapshots/${snapshotId}/tables/${table}`),
      await get(`tables/${table}`, newcomer),
    ])
      expect([table, answer.status]).toEqual([table, 404]);
});

test('a workspace without a snapshot has a week, every table and a list, without an instant, brands and rows', async () => {
  const week = '{"data":{"asOf":null,"brands":[]}}\n';
  expect(await get('week', newcomer)).toMatchObject({ status: 200, text: week });
  expect(await get('snapshots', newcomer)).toMatchObject({ status: 200, text: '{"data":[]}\n' });
  for (const table of apiTables) {
    const { status, text } = await get(`tables/${table}`, newcomer);
    expect([status, JSON.parse(text)]).toEqual([200, { data: emptyTable(table) }]);
  }
});
