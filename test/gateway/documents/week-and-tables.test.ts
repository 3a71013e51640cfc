import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import type { Week } from '../../../lib/documents/week.ts';
import { emptyTable, encodeTable } from '../../../lib/tables/encode.ts';
import { apiTables, tableNames } from '../../../lib/tables/names.ts';
import { tablePath, WEEK_PATH } from '../../../snapshots/layout.ts';
import { contentOfDocuments, encodeList } from '../../snapshots/documents.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import { ask, bearer } from '../ask.ts';
import { otherWorkspaceId, setPlan, startListeningGateway, workspaceId } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { acme } from '../snapshots.ts';

const unpublished = '33333333-3333-4333-8333-333333333333';
const asOf = '2026-11-23T06:00:00.000Z';
const week: Week = { asOf, brands: [] };
const row = Buffer.from(
  `,${JSON.stringify([acme.id, acme.name, ...Array.from({ length: 18 }, () => null)])}`,
);

let gateway: ListeningGateway;
let snapshotId: string;
beforeEach(async () => {
  gateway = await startListeningGateway();
  await setPlan(gateway.records, unpublished, 'agency', 1000);
});
afterEach(async () => await gateway.close());

/** Publishes a snapshot with a week, and with every table. */
async function publish(): Promise<void> {
  const content = contentOfDocuments(workspaceId, asOf, [
    encodeList([acme]),
    { path: WEEK_PATH, bytes: encodeDocument('week', week) },
    ...apiTables.map((table) => ({
      path: tablePath(table),
      bytes: encodeTable(table, table === 'brands' ? [row] : []),
    })),
  ]);
  snapshotId = (await publishSnapshot(gateway.log, content)).snapshotId;
  await gateway.documents.refresh();
}

async function get(path: string, of = workspaceId) {
  const headers = bearer(await gateway.createKey(of));
  const { status, text, headers: sent } = await ask(gateway.base, `/api/v1/${path}`, { headers });
  return { status, text, sent };
}

const paths = ['week', ...apiTables.map((table) => `tables/${table}`)];

test('the week and every table are served as they were published, now and by the id of their snapshot', async () => {
  await publish();
  const old = snapshotId;
  for (const path of paths) {
    const current = await get(path);
    expect(current).toMatchObject({ status: 200, sent: { 'x-snapshot-id': old } });
    const { data } = JSON.parse(current.text) as { data: unknown };
    expect(complaintsAbout(path === 'week' ? 'week' : 'table', data)).toEqual([]);
    const past = await get(`snapshots/${old}/${path}`);
    expect(past).toMatchObject({ status: 200, text: current.text });
    expect(past.sent['cache-control']).toContain('immutable');
  }
  expect((await get('tables/brands')).text).toContain(`"rows":[["${acme.id}"`);
});

test("another workspace's snapshot is 404, like one that does not exist", async () => {
  await publish();
  const unknown = await get(`snapshots/${snapshotId.replace(/.$/, 'x')}/week`, otherWorkspaceId);
  for (const path of paths) {
    const foreign = await get(`snapshots/${snapshotId}/${path}`, otherWorkspaceId);
    expect(foreign).toMatchObject({ status: 404, text: unknown.text });
  }
});

test.each([
  ...tableNames.filter((name) => !(apiTables as string[]).includes(name)),
  'unknown',
  'Brands',
  'brands.json',
  '%00',
])('tables/%s is 404: only the export has it, or nobody', async (table) => {
  await publish();
  expect(await get(`tables/${table}`)).toMatchObject({ status: 404 });
  expect(await get(`snapshots/${snapshotId}/tables/${table}`)).toMatchObject({ status: 404 });
  expect(await get(`tables/${table}`, unpublished)).toMatchObject({ status: 404 });
});

test('a snapshot of an older version, without week and tables, is 404 and lists its brands', async () => {
  await publishSnapshot(gateway.log, contentOfDocuments(workspaceId, asOf, [encodeList([acme])]));
  await gateway.documents.refresh();
  for (const path of paths) expect(await get(path)).toMatchObject({ status: 404 });
  expect(await get('brands')).toMatchObject({ status: 200 });
});

describe('a workspace without a snapshot', () => {
  test('has a week without an instant and without brands', async () => {
    expect(await get('week', unpublished)).toMatchObject({
      status: 200,
      text: '{"data":{"asOf":null,"brands":[]}}\n',
    });
  });

  test('has every table with its columns and no rows', async () => {
    for (const table of apiTables) {
      const { status, text } = await get(`tables/${table}`, unpublished);
      expect(status).toBe(200);
      expect(JSON.parse(text)).toEqual({ data: emptyTable(table) });
    }
  });
});
