/** @module-tag slow */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileStore } from '../../../clients/typescript/src/file-store.ts';
import { memoryStore } from '../../../clients/typescript/src/index.ts';
import type { Sightline } from '../../../clients/typescript/src/index.ts';
import { otherWorkspaceId } from '../../gateway/gateway.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { numberedBrands, startAgency } from './agency.ts';

/** Every operation over all brands, of the current snapshot and of that one. Returns what is not from the store. */
async function readAll(sightline: Sightline, snapshotId: string): Promise<string[]> {
  const fetched: string[] = [];
  const take = ({ fromCache, body }: { fromCache: boolean; body: string }): void => {
    if (!fromCache) fetched.push(body);
  };
  take(await sightline.listSnapshots());
  take(await sightline.getSnapshotProof(snapshotId));
  take(await sightline.listBrandsOfSnapshot(snapshotId));
  const { data, ...listed } = await sightline.listBrands();
  take(listed);
  for (const { id } of data) {
    take(await sightline.getVisibility(id));
    take(await sightline.getStability(id));
    take(await sightline.getCompetitors(id));
    take(await sightline.getSources(id));
    take(await sightline.getResults(id));
    take(await sightline.listPrompts(id));
    take(await sightline.getVisibilityOfSnapshot(snapshotId, id));
    take(await sightline.getStabilityOfSnapshot(snapshotId, id));
    take(await sightline.getCompetitorsOfSnapshot(snapshotId, id));
    take(await sightline.getSourcesOfSnapshot(snapshotId, id));
    take(await sightline.getResultsOfSnapshot(snapshotId, id));
    take(await sightline.getPromptsOfSnapshot(snapshotId, id));
  }
  return fetched;
}

const REQUESTS = 4 + 3 * 12;

test('on a second Monday with unchanged data no operation transfers a body, and documents of a snapshot cost no request', async () => {
  const { client, wire, snapshotId } = await startAgency(3);
  const folder = join(await temporaryFolder(), 'made/when/needed');
  expect(await readAll(client({ store: fileStore(folder) }), snapshotId)).toHaveLength(REQUESTS);
  expect(wire.exchanges.map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS }, () => 200));
  const first = wire.exchanges.splice(0);
  expect(Math.min(...first.map(({ bytes }) => bytes))).toBeGreaterThan(0);
  // Another process in the next week, with the same folder.
  expect(await readAll(client({ store: fileStore(folder) }), snapshotId)).toEqual([]);
  const asked = first.filter(({ path }) => !/snapshots\/[^/]+\/(?!proof)/.test(path));
  expect(asked).toHaveLength(3 + 3 * 6);
  expect(wire.exchanges).toEqual(asked.map(({ path }) => ({ path, status: 304, bytes: 0 })));
});

test('a response in the store is whole, and of no use to a key of another workspace', async () => {
  const { client, gateway, brands, wire, snapshotId } = await startAgency(1);
  const store = memoryStore();
  const read = async (sightline: Sightline) =>
    await sightline.getVisibilityOfSnapshot(snapshotId, brands[0]!.id);
  const { rateLimit: _, requestId: __, ...sent } = await read(client({ store }));
  expect(sent).toMatchObject({ snapshotId, fromCache: false, publishedAt: expect.any(Date) });
  wire.exchanges.length = 0;
  const kept = await read(client({ store }));
  expect(wire.exchanges).toEqual([]);
  expect(kept).toEqual({ ...sent, fromCache: true, rateLimit: null, requestId: null });
  const other = client({ store, apiKey: await gateway.createKey(otherWorkspaceId) });
  await expect(read(other)).rejects.toMatchObject({ code: 'not_found' });
  for (let week = 0; week < 2; week++) {
    expect((await client({ store }).listBrands()).data.map(({ name }) => name)).toEqual(['Brand 1']);
    expect((await other.listBrands()).data.map(({ name }) => name)).toEqual(['Globex']);
  }
});

test('without a store nothing is stored, and changes by the caller do not affect what is', async () => {
  const { client, wire } = await startAgency(1);
  for (const [store, statuses] of [
    [null, [200, 200]],
    [memoryStore(), [200, 304]],
  ] as const) {
    wire.exchanges.length = 0;
    const sightline = client({ store });
    (await sightline.listBrands()).data.length = 0;
    expect((await sightline.listBrands()).data).toEqual(numberedBrands(1));
    expect(wire.exchanges.map(({ status }) => status)).toEqual(statuses);
  }
});

test('the store of files: damaged files are fetched again, and only their owner reads them', async () => {
  const { client } = await startAgency(1);
  const folder = await temporaryFolder();
  const sightline = client({ store: fileStore(folder) });
  const { data } = await sightline.listBrands();
  const [name, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  const file = join(folder, name!);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const whole = await readFile(file, 'utf8');
  const noData = JSON.stringify({ ...(JSON.parse(whole) as object), body: '{"data":' });
  for (const damaged of [whole.slice(0, -20), '{}', noData]) {
    await writeFile(file, damaged);
    expect(await sightline.listBrands()).toMatchObject({ data, fromCache: false });
    expect(await sightline.listBrands()).toMatchObject({ data, fromCache: true });
  }
  expect(await readdir(folder)).toEqual([name]);
});

test('a store that cannot be read or written loses no response, and its errors are reported', async () => {
  const { client, brands } = await startAgency(1);
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const errors: unknown[] = [];
  const onStoreError = (error: unknown): void => void errors.push((error as { code: string }).code);
  const whole = { data: brands, fromCache: false };
  expect(await client({ store: fileStore(file), onStoreError }).listBrands()).toMatchObject(whole);
  expect(errors).toEqual(['ENOTDIR', 'EEXIST']);
  expect(await client({ store: fileStore(file) }).listBrands()).toMatchObject(whole);
});

test('the memory store keeps the most recently used responses, within its limit', async () => {
  const store = memoryStore({ maxCharacters: 10 });
  const put = async (url: string, body: string) => await store.set(url, { etag: url, body });
  await put('a', '1234');
  await put('b', '1234');
  await store.get('a');
  await put('c', '1234');
  await put('d', '12345678901'); // larger than the limit
  const kept = await Promise.all(['a', 'b', 'c', 'd'].map(async (url) => (await store.get(url))?.body));
  expect(kept).toEqual(['1234', undefined, '1234', undefined]);
});
