/** @module-tag black-box */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { deliver } from './adapters/deliver.ts';
import { documentsOf, ORIGIN, publish, publishDocuments, testLog } from './adapters/publish.ts';
import { createKey, openRecords, setPlan } from './adapters/read-over-http.ts';
import { ask, bearer } from './gateway/ask.ts';
import { startGatewayProcess } from './support/program.ts';
import { asOfCase, documentKinds, expectedText, goldenFolders, goldenPath } from './golden/cases.ts';
import { parquetDrop } from './golden/parquet.ts';
import { temporaryFolder, temporaryFolders } from './support/folder.ts';

const newFolder = temporaryFolders();

/** By workspace: `brands`, `week`, and the documents by brand, each as the `data` of a response. */
type Expected = Record<string, Record<string, Record<string, unknown>>>;

const expectedOf = (name: string) => JSON.parse(expectedText(name)) as Expected;
const workspacesOf = (name: string) => Object.keys(expectedOf(name));

const bodyOf = (data: unknown) => ({ status: 200, text: `${JSON.stringify({ data })}\n` });

const published = async (name: string, below: string) =>
  await Promise.all(workspacesOf(name).map((id) => documentsOf(below, id)));

let folder: string;
/** One store with the documents of every case, for the gateway: no two share a workspace. */
let store: string;
let publicKey: string;

beforeAll(async () => {
  folder = await newFolder();
  store = join(folder, 'store');
  const log = await testLog(folder);
  publicKey = log.keys.publicKey;
  for (const name of goldenFolders) {
    await ingested(goldenPath(name, 'drop'), lakeOf(name));
    await publish(lakeOf(name), storeOf(name), asOfCase(name), { threads: 1 });
    for (const workspaceId of workspacesOf(name)) {
      const documents = [...(await documentsOf(storeOf(name), workspaceId))];
      const encoded = documents.map(([path, bytes]) => ({ path, bytes }));
      await publishDocuments(log, workspaceId, '2026-11-16T06:00:00.000Z', encoded);
    }
  }
});

describe('over HTTP, the gateway returns the exact bytes of every golden case', () => {
  let url: string;
  let keys: Map<string, string>;

  beforeAll(async () => {
    keys = await keysFor(folder, goldenFolders.flatMap(workspacesOf));
    const settings = {
      STORE_URL: store,
      LOG_ORIGIN: ORIGIN,
      PUBLIC_KEY_FILE: publicKey,
      RECORDS_URL: `sqlite:${join(folder, 'records.db')}`,
      HOST: '127.0.0.1',
    };
    const gateway = await startGatewayProcess(settings);
    url = gateway.url;
    return async () => {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
    };
  });

  test.each(goldenFolders)('%s', async (name) => {
    for (const [workspaceId, { brands, week, ...documents }] of Object.entries(expectedOf(name))) {
      const get = async (path: string) => {
        const headers = bearer(keys.get(workspaceId)!);
        const { status, text } = await ask(url, `/api/v1${path}`, { headers });
        return { status, text };
      };
      expect(await get('/brands')).toEqual(bodyOf(brands));
      expect(await get('/week')).toEqual(bodyOf(week));
      for (const [brandId, data] of Object.entries(documents)) {
        expect(Object.keys(data)).toEqual(documentKinds);
        for (const kind of documentKinds)
          expect(await get(`/brands/${brandId}/${kind}`)).toEqual(bodyOf(data[kind]));
      }
    }
  });
});

// Random drops are zipped half of the time, and computed on several threads.
test.each(['small', 'rich', 'unicode'])(
  'from a drop in Parquet, golden case %s has the same bytes',
  { tags: ['long'] },
  async (name) => {
    const below = join(await temporaryFolder(), 'case');
    await ingested(await parquetDrop(goldenPath(name, 'drop'), join(below, 'drop')), join(below, 'lake'));
    await publish(join(below, 'lake'), join(below, 'store'), asOfCase(name));
    expect(await published(name, join(below, 'store'))).toEqual(await published(name, storeOf(name)));
  },
);

function storeOf(name: string): string {
  return join(folder, 'stores', name);
}

function lakeOf(name: string): string {
  return join(folder, 'lakes', name);
}

async function ingested(drop: string, lake: string): Promise<void> {
  const { refusals, files } = await deliver(lake, { folder: drop, date: '2026-11-16' });
  expect(refusals).toEqual([]);
  expect(files).toHaveLength((await readdir(drop)).length);
}

async function keysFor(below: string, workspaces: readonly string[]): Promise<Map<string, string>> {
  const opened = openRecords(below);
  const keys = new Map<string, string>();
  for (const id of workspaces) {
    await setPlan(opened, id, 'agency', 1_000_000);
    keys.set(id, await createKey(opened, id));
  }
  await opened.close();
  return keys;
}
