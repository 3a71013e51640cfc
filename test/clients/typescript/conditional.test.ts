/** @module-tag slow */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileStore } from '../../../clients/typescript/src/file-store.ts';
import { memoryStore } from '../../../clients/typescript/src/index.ts';
import type { Sightline } from '../../../clients/typescript/src/index.ts';
import { otherWorkspaceId, workspaceId } from '../../gateway/gateway.ts';
import { publishBrands } from '../../gateway/snapshots.ts';
import { brandsInTables, publishTables } from '../../gateway/tables.ts';
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

const REQUESTS = 4 + 10 * 12;

test('on a second Monday with unchanged data no operation transfers a body, and documents of a snapshot cost no request', async () => {
  const { client, wire, snapshotId } = await startAgency(10);
  const folder = join(await temporaryFolder(), 'made/when/needed');
  expect(await readAll(client({ store: fileStore(folder) }), snapshotId)).toHaveLength(REQUESTS);
  expect(wire.exchanges.map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS }, () => 200));
  const first = wire.exchanges.splice(0);
  expect(Math.min(...first.map(({ bytes }) => bytes))).toBeGreaterThan(0);
  // Another process in the next week, with the same folder.
  expect(await readAll(client({ store: fileStore(folder) }), snapshotId)).toEqual([]);
  const asked = first.filter(({ path }) => !/snapshots\/[^/]+\/(?!proof)/.test(path));
  expect(asked).toHaveLength(3 + 10 * 6);
  expect(wire.exchanges).toEqual(asked.map(({ path }) => ({ path, status: 304, bytes: 0 })));
});

const monday = (week: number) => new Date(Date.UTC(2026, 8, 7 + 7 * week)).toISOString().slice(0, 10);

test('share of voice of all brands over 12 weeks takes 13 requests of an Agency plan, and 1 in the next week', async () => {
  const { client, gateway, brands, wire } = await startAgency(30, 60);
  const given = brands.map((brand) => ({ ...brandsInTables[1]!, brand }));
  for (let week = 0; week < 12; week++) await publishTables(gateway.log, monday(week), given);
  await gateway.documents.refresh();
  const sightline = client({ maxRetries: 0 });
  const weeks = (await sightline.listSnapshots()).data.slice(0, 12).map(({ id }) => id);
  const read = async () => {
    const found = [];
    for (const id of weeks) found.push((await sightline.getTableOfSnapshot(id, 'share_of_voice')).data.rows);
    return found;
  };
  const before = await read();
  expect(before.every((rows) => new Set(rows.map(([id]) => id)).size === 30)).toBe(true);
  expect(wire.exchanges.map(({ status }) => status)).toEqual(Array.from({ length: 13 }, () => 200));
  await publishTables(gateway.log, monday(12), given);
  await gateway.documents.refresh();
  const { data, snapshotId } = await sightline.getTable('share_of_voice');
  weeks.splice(0, weeks.length, ...weeks.slice(0, 11));
  expect([data.rows.length, weeks.includes(snapshotId!)]).toEqual([before[0]!.length, false]);
  expect(await read()).toEqual(before.slice(0, 11));
  expect(wire.exchanges).toHaveLength(14);
});

test('a document of a snapshot in the store is whole, and of no use to another key', async () => {
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
  const apiKey = await gateway.createKey(otherWorkspaceId);
  await expect(read(client({ store, apiKey }))).rejects.toMatchObject({ code: 'not_found' });
});

test('after a new week only changed documents are sent; the others also belong to the new snapshot', async () => {
  const { client, gateway, brands, snapshotId } = await startAgency(3);
  const sightline = client();
  await readAll(sightline, snapshotId);
  const renamed = [{ ...brands[0]!, name: 'Renamed' }, ...brands.slice(1)];
  const next = await publishBrands(gateway.log, workspaceId, renamed, '2026-11-23T06:00:00.000Z');
  await gateway.documents.refresh();
  const [snapshots, ...fetched] = await readAll(sightline, snapshotId);
  expect(snapshots).toContain(next);
  // The list of brands, the six documents with the brand's name, and a proof that leads to the newer head of the log.
  expect(fetched).toHaveLength(1 + 6 + 1);
  const unnamed = fetched.filter((body) => !body.includes('"Renamed"'));
  expect(unnamed).toEqual([expect.stringContaining('"inclusionProof"')]);
  expect(await sightline.getVisibility(brands[1]!.id)).toMatchObject({ fromCache: true, snapshotId: next });
  expect((await sightline.getVisibilityOfSnapshot(snapshotId, brands[0]!.id)).data.brand.name).toBe(
    'Brand 1',
  );
});

test('changes by the caller do not affect the stored data', async () => {
  const { client } = await startAgency(2);
  const sightline = client();
  (await sightline.listBrands()).data.length = 0;
  expect(await sightline.listBrands()).toMatchObject({ fromCache: true, data: numberedBrands(2) });
});

test('without a store nothing is stored', async () => {
  const { client, wire } = await startAgency(1);
  const sightline = client({ store: null });
  await sightline.listBrands();
  expect((await sightline.listBrands()).fromCache).toBe(false);
  expect(wire.exchanges.map(({ status }) => status)).toEqual([200, 200]);
});

test('two workspaces in one store never see data of the other', async () => {
  const { client, gateway } = await startAgency(1);
  const store = fileStore(await temporaryFolder());
  const own = client({ store });
  const other = client({ store, apiKey: await gateway.createKey('22222222-2222-4222-8222-222222222222') });
  for (let week = 0; week < 2; week++) {
    expect((await own.listBrands()).data.map(({ name }) => name)).toEqual(['Brand 1']);
    expect((await other.listBrands()).data.map(({ name }) => name)).toEqual(['Globex']);
  }
  await gateway.records.revokeKey(gateway.key.slice(0, 12));
  await expect(own.listBrands()).rejects.toMatchObject({ code: 'invalid_key' });
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
  for (const damaged of ['', whole.slice(0, -20), '{}', 'null', noData]) {
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
  const kept = async () => {
    const found: string[] = [];
    for (const url of ['a', 'b', 'c']) if ((await store.get(url)) !== undefined) found.push(url);
    return found;
  };
  expect(await kept()).toEqual(['a', 'c']);
  await put('a', '12');
  await put('b', '1234');
  expect(await kept()).toEqual(['a', 'b', 'c']);
  await put('b', '12345678901');
  expect(await kept()).toEqual(['a', 'c']);
});
