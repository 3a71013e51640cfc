/** @module-tag slow */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileStore } from '../../../clients/typescript/src/file-store.ts';
import { memoryStore } from '../../../clients/typescript/src/index.ts';
import type { Sightline, Visit } from '../../../clients/typescript/src/index.ts';
import { otherWorkspaceId, setPlan } from '../../gateway/gateway.ts';
import { numberedBrands } from '../../gateway/snapshots.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startAgency } from './agency.ts';

test('on a second Monday with unchanged data no request gets a body, documents of a snapshot cost no request, and only the owner reads the files', async () => {
  const { client, exchanges, snapshotId } = await startAgency(2);
  const folder = join(await temporaryFolder(), 'made/when/needed');
  const readAll = async (sightline: Sightline) => {
    const read: { fromCache: boolean }[] = [
      await sightline.listSnapshots(),
      await sightline.getSnapshotProof(snapshotId),
      await sightline.listBrandsOfSnapshot(snapshotId),
    ];
    for await (const { id } of sightline.brands())
      read.push(await sightline.getResults(id), await sightline.getResultsOfSnapshot(snapshotId, id));
    return read.map(({ fromCache }) => fromCache);
  };
  expect(await readAll(client({ store: fileStore(folder) }))).not.toContain(true);
  const first = exchanges.splice(0);
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]));
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  // Another process in the next week, with the same folder.
  expect(await readAll(client({ store: fileStore(folder) }))).not.toContain(false);
  const asked = first.filter(({ path }) => !/snapshots\/[^/]+\/(?!proof)/.test(path));
  expect(asked).toHaveLength(5);
  expect(exchanges).toEqual(asked.map(({ path }) => ({ path, status: 304 })));
});

test('a response in the store is whole, and of no use to a key of another workspace', async () => {
  const { client, gateway, brands, exchanges, snapshotId } = await startAgency(1);
  const store = memoryStore();
  const read = async (sightline: Sightline) =>
    await sightline.getVisibilityOfSnapshot(snapshotId, brands[0]!.id);
  const { rateLimit: _, requestId: __, ...sent } = await read(client({ store }));
  expect(sent).toMatchObject({ snapshotId, fromCache: false, publishedAt: expect.any(Date) });
  exchanges.length = 0;
  const kept = await read(client({ store }));
  expect(exchanges).toEqual([]);
  expect(kept).toEqual({ ...sent, fromCache: true, rateLimit: null, requestId: null });
  const other = client({ store, apiKey: await gateway.createKey(otherWorkspaceId) });
  await expect(read(other)).rejects.toMatchObject({ code: 'not_found' });
  for (let week = 0; week < 2; week++) {
    const { data } = await client({ store }).listBrands();
    expect(data.splice(0).map(({ name }) => name)).toEqual(['Brand 1']); // emptied: a caller may change it
    expect((await other.listBrands()).data.map(({ name }) => name)).toEqual(['Globex']);
  }
});

test('without a store, or with one that fails, no response is lost, and the errors are reported', async () => {
  const { client, brands } = await startAgency(1);
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const errors: unknown[] = [];
  const onStoreError = (error: unknown): void => void errors.push((error as { code: string }).code);
  const whole = { data: brands, fromCache: false };
  expect(await client({ store: fileStore(file), onStoreError }).listBrands()).toMatchObject(whole);
  expect(errors).toEqual(['ENOTDIR', 'EEXIST']);
  for (const sightline of [client({ store: fileStore(file) }), client({ store: null })])
    for (let turn = 0; turn < 2; turn++) expect(await sightline.listBrands()).toMatchObject(whole);
  const folder = await temporaryFolder();
  const inFolder = client({ store: fileStore(folder), onStoreError });
  await inFolder.listBrands();
  const [stored] = await readdir(folder);
  await rm(join(folder, stored!));
  await mkdir(join(folder, stored!)); // no file can be renamed to it
  expect(await inFolder.listBrands()).toMatchObject(whole);
  expect(errors).toEqual(['ENOTDIR', 'EEXIST', 'EISDIR', 'EISDIR']);
  expect(await readdir(folder)).toEqual([stored]);
});

test('the memory store keeps the most recently used responses, within its limit', async () => {
  const store = memoryStore({ maxCharacters: 10 });
  const put = async (url: string, body: string) => await store.set(url, { etag: url, body });
  await put('a', '12');
  await put('a', '1234');
  await put('b', '1234');
  await store.get('a');
  await put('c', '123456');
  await put('d', '12345678901'); // larger than the limit
  const kept = await Promise.all(['a', 'b', 'c', 'd'].map(async (url) => (await store.get(url))?.body));
  expect(kept).toEqual(['1234', undefined, '123456', undefined]);
  await put('e', '1234567890');
  expect(await store.get('e')).toMatchObject({ body: '1234567890' });
});

test('changedDocuments names every document at first, then nothing, and what changed on the next Monday', async () => {
  const { client, gateway, publish, brands, exchanges } = await startAgency(3);
  const sightline = client({ store: null });
  const newcomers = '33333333-3333-4333-8333-333333333333';
  await setPlan(gateway.records, newcomers, 'agency', null);
  const apiKey = await gateway.createKey(newcomers);
  const nothing = { brands: [], changed: [], visit: null };
  expect(await client({ apiKey }).changedDocuments(null)).toEqual(nothing);
  const first = await sightline.changedDocuments(null);
  expect(first.brands).toEqual(brands);
  const operations = first.changed.filter(({ brandId }) => brandId === brands[0]!.id);
  expect(first.changed).toHaveLength(7 * 3);
  for (const { operation, brandId } of operations)
    expect((await sightline[operation](brandId)).data.brand.id).toBe(brandId);
  exchanges.length = 0;
  const kept = JSON.parse(JSON.stringify(first.visit)) as Visit;
  expect(await sightline.changedDocuments(kept)).toEqual({ brands, changed: [], visit: kept });
  const newcomer = numberedBrands(4).at(-1)!;
  const renamed = [{ ...brands[0]!, name: 'Renamed' }, ...brands.slice(2), newcomer];
  const next = await publish(renamed, '2026-11-23T06:00:00.000Z');
  const monday = await sightline.changedDocuments(kept);
  const paths = ['/api/v1/brands', '/api/v1/brands', `/api/v1/snapshots/${next}/proof`];
  expect(exchanges.map(({ path }) => path)).toEqual(paths);
  expect(monday.visit!.snapshotId).toBe(next);
  const changed = [brands[0]!.id, newcomer.id].flatMap((id) => Array.from({ length: 7 }, () => id));
  expect(monday.changed.map(({ brandId }) => brandId).toSorted()).toEqual(changed.toSorted());
});
