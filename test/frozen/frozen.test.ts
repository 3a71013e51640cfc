/** @module-tag black-box */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createKey, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { documentKinds, expectedText } from '../golden/cases.ts';
import { temporaryFolders } from '../support/folder.ts';
import { startGatewayProcess } from '../support/program.ts';
import { commandsIn, FROZEN, partOfSmall } from './commands.ts';
import { answers } from './answers.ts';

const newFolder = temporaryFolders();
let root: string;
/* A copy, which the tests continue. */
beforeAll(async () => {
  root = await newFolder();
  for (const name of ['store', 'lake']) await cp(join(FROZEN, name), join(root, name), { recursive: true });
});

type Week = Record<string, Record<string, unknown>>;
/** What a gateway returns for the store below a folder: the weeks that it lists, newest first, each with all documents. */
async function weeksIn(folder: string): Promise<{ asOf: string; documents: Week }[]> {
  const records = openRecords(folder);
  await setPlan(records, answers.workspaceId, 'agency', 1_000_000);
  const key = await createKey(records, answers.workspaceId);
  await records.close();
  const settings = { ...commandsIn(folder).settings, RECORDS_URL: `sqlite:${join(folder, 'records.db')}` };
  const gateway = await startGatewayProcess({ ...settings, HOST: '127.0.0.1' });
  const get = async (path: string) => {
    const { status, text } = await ask(gateway.url, `/api/v1${path}`, { headers: bearer(key) });
    expect({ path, status }).toEqual({ path, status: 200 });
    return (JSON.parse(text) as { data: unknown }).data;
  };
  const data = (await get('/snapshots')) as { id: string; asOf: string }[];
  const weeks = [];
  for (const { id, asOf } of data) {
    const documents: Week = {};
    const brands = (await get(`/snapshots/${id}/brands`)) as { id: string }[];
    documents['brands'] = brands as never;
    documents['week'] = (await get(`/snapshots/${id}/week`)) as never;
    for (const brand of brands)
      for (const kind of documentKinds) {
        const document = await get(`/snapshots/${id}/brands/${brand.id}/${kind}`);
        documents[brand.id] = { ...documents[brand.id], [kind]: document };
      }
    weeks.push({ asOf, documents });
  }
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
  return weeks;
}

test('of a store and a lake that an earlier version wrote, the store is intact, and both weeks come out of the lake as they were published', async () => {
  const { audit } = commandsIn(root);
  expect(await audit('verify')).toMatchObject({ status: 0, stderr: '' });
  const { status, stdout } = await audit('rebuild', '--all', '--json');
  expect(status).toBe(0);
  const { snapshots } = JSON.parse(stdout) as { snapshots: { outcome: string }[] };
  expect(snapshots.map(({ outcome }) => outcome)).toEqual(['same', 'same']);
});

test('they are continued: the next week is published, and over HTTP those before it have the documents that they had', async () => {
  const { job, audit } = commandsIn(root);
  const drop = await partOfSmall(root, 'next', /^(brands|workspaces|prompts|competitors)/);
  const run = { ...answers.nextRun, id: 'eeeeeeee-0000-4000-8000-000000000001', status: 'success' };
  await writeFile(join(drop, 'runs.ndjson'), `${JSON.stringify(run)}\n`);
  expect((await job('ingest', '--from', drop, '--date', '2026-11-20')).status).toBe(0);
  // What is frozen grows older.
  expect((await job('weekly', '--as-of', '2026-11-23T06:00:00Z', '--accept-clock')).status).toBe(0);
  expect((await audit('verify')).status).toBe(0);
  const [next, ...before] = await weeksIn(root);
  const newest = (JSON.parse(expectedText('small')) as Record<string, Week>)[answers.workspaceId];
  expect(before).toEqual([
    { asOf: '2026-11-16T06:00:00.000Z', documents: newest },
    { asOf: '2026-11-09T06:00:00.000Z', documents: answers.olderWeek },
  ]);
  expect(next!.asOf).toBe('2026-11-23T06:00:00.000Z');
  expect(next!.documents).not.toEqual(newest);
});
