/** @module-tag black-box */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey, openRecords, setPlan } from '../adapters/read-over-http.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { documentKinds, expectedText } from '../golden/cases.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { startGatewayProcess } from '../support/program.ts';
import { commandsIn, FROZEN, partOfSmall } from './commands.ts';
import { answers } from './answers.ts';

const newFolder = temporaryFolders();
let root: string;

/** A copy of the frozen store and lake, which later tests do not see. */
async function copied(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ['store', 'lake']) await cp(join(root, name), join(folder, name), { recursive: true });
  return folder;
}

beforeAll(async () => {
  root = await newFolder();
  for (const name of ['store', 'lake']) await cp(join(FROZEN, name), join(root, name), { recursive: true });
});

type Week = Record<string, Record<string, unknown>>;
interface Listed {
  data: { id: string; asOf: string }[];
}

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
  const { data } = { data: await get('/snapshots') } as Listed;
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

const newest = () => (JSON.parse(expectedText('small')) as Record<string, Week>)[answers.workspaceId];

describe('a store and a lake that an earlier version wrote', () => {
  test('are verified: the store is intact, and a changed document of it is found', async () => {
    const { audit } = commandsIn(root);
    const intact = await audit('verify', '--json');
    expect(intact).toMatchObject({ status: 0, stderr: '' });
    const harmed = await copied();
    const { snapshots } = JSON.parse((await audit('list', '--json')).stdout) as {
      snapshots: { snapshotId: string }[];
    };
    const folder = `workspaces/${answers.workspaceId}/snapshots/${snapshots[0]!.snapshotId}`;
    const file = join(harmed, 'store', folder, 'brands.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('Oscorp', 'Oscorq'));
    expect((await commandsIn(harmed).audit('verify')).status).toBe(1);
  });

  test('are read over HTTP: both weeks with the documents that they had', async () => {
    expect(await weeksIn(await copied())).toEqual([
      { asOf: '2026-11-16T06:00:00.000Z', documents: newest() },
      { asOf: '2026-11-09T06:00:00.000Z', documents: answers.olderWeek },
    ]);
  });

  test('are compared: the same values differ between the weeks, with the same judgements', async () => {
    const { status, stdout } = await commandsIn(root).audit('diff', '--json');
    expect(status).toBe(0);
    const { counts, brands } = JSON.parse(stdout) as {
      counts: Record<string, number>;
      brands: { brandId: string; wonAndLost: { change: string; promptId: string }[] }[];
    };
    const wonAndLost = brands.map(({ brandId, wonAndLost: all }) => [
      brandId,
      all.map(({ change, promptId }) => `${change} ${promptId}`),
    ]);
    expect({ counts, wonAndLost: Object.fromEntries(wonAndLost) as unknown }).toEqual(answers.diff);
  });

  test('are rebuilt: the documents of both weeks come out of the lake as they were published', async () => {
    const { status, stdout } = await commandsIn(root).audit('rebuild', '--all', '--json');
    expect(status).toBe(0);
    const { snapshots } = JSON.parse(stdout) as { snapshots: { outcome: string }[] };
    expect(snapshots.map(({ outcome }) => outcome)).toEqual(['same', 'same']);
  });

  test('are continued: the next week is published, and those before it stay', async () => {
    const folder = await copied();
    const { job, audit } = commandsIn(folder);
    const drop = await partOfSmall(folder, 'next', /^(brands|workspaces|prompts|competitors)/);
    const run = { ...answers.nextRun, id: 'eeeeeeee-0000-4000-8000-000000000001', status: 'success' };
    await writeFile(join(drop, 'runs.ndjson'), `${JSON.stringify(run)}\n`);
    expect((await job('ingest', '--from', drop, '--date', '2026-11-20')).status).toBe(0);
    // What is frozen grows older.
    expect((await job('weekly', '--as-of', '2026-11-23T06:00:00Z', '--accept-clock')).status).toBe(0);
    expect((await audit('verify')).status).toBe(0);
    const [next, ...before] = await weeksIn(folder);
    expect(before.map(({ documents }) => documents)).toEqual([newest(), answers.olderWeek]);
    expect(next!.asOf).toBe('2026-11-23T06:00:00.000Z');
    expect(next!.documents).not.toEqual(newest());
  });
});
