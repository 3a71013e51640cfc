import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  BRANDS_PATH,
  documentPath,
  manifestKey,
  pointerKey,
  snapshotPrefix,
} from '../../../snapshots/layout.ts';
import { eachDocumentService, findIn, textOf, workspaceId } from './document-service.ts';
import { acme, publishBrands } from '../snapshots.ts';

const renamed = { ...acme, name: 'Acme Corporation' };
const LATER = '2026-11-23T06:00:00.000Z';

const prompts = documentPath(acme.id, 'prompts');
const each = eachDocumentService();
const find = async (path: string, id?: string) => await findIn(each.service, path, id);
const fileOf = (key: string) => join(each.folder, 'store', key);

describe('a newer snapshot', () => {
  let first: string;
  beforeEach(async () => {
    first = await publishBrands(each.store, workspaceId, [acme]);
    await find(prompts);
  });

  test('goes into service with a refresh, and the documents in use with it', async () => {
    const second = await publishBrands(each.store, workspaceId, [renamed], LATER);
    expect((await find(prompts))!.snapshotId).toBe(first);
    await each.service.refresh();
    expect(each.events.changed).toEqual([second]);
    each.reads = [];
    const found = await find(prompts);
    expect(found!.snapshotId).toBe(second);
    expect(textOf(found)).toContain('Acme Corporation');
    expect(each.reads).toEqual([]);
  });

  test('costs one read if it does not exist', async () => {
    each.reads = [];
    await each.service.refresh();
    expect(each.reads).toEqual([pointerKey(workspaceId)]);
  });

  test.each<[string, (second: string) => Promise<void>]>([
    ['a document is missing', (id) => rm(fileOf(`${snapshotPrefix(workspaceId, id)}${prompts}`))],
    [
      'a document is cut short',
      (id) => writeFile(fileOf(`${snapshotPrefix(workspaceId, id)}${BRANDS_PATH}`), '{"da'),
    ],
    ['the manifest is missing', (id) => rm(fileOf(manifestKey(workspaceId, id)))],
    ['the manifest was changed', (id) => writeFile(fileOf(manifestKey(workspaceId, id)), '{}')],
    ['the pointer is not JSON', () => writeFile(fileOf(pointerKey(workspaceId)), '{"format":1,"snapsh')],
    ['the pointer is of another format', () => writeFile(fileOf(pointerKey(workspaceId)), '{"format":2}')],
    ['the pointer is missing', () => rm(fileOf(pointerKey(workspaceId)))],
    ['the store is missing', () => rename(join(each.folder, 'store'), join(each.folder, 'elsewhere'))],
    [
      'the store is empty',
      async () => {
        await rm(join(each.folder, 'store'), { recursive: true });
        await mkdir(join(each.folder, 'store'));
      },
    ],
  ])('does not go into service if %s: the last good one stays, with one alarm', async (_what, breakIt) => {
    await breakIt(await publishBrands(each.store, workspaceId, [renamed], LATER));
    for (let round = 0; round < 5; round++) {
      await each.service.refresh();
      each.now += 30_000;
    }
    expect(each.events.kept).toHaveLength(1);
    expect(each.events.changed).toEqual([]);
    expect((await find(prompts))!.snapshotId).toBe(first);
    expect(each.service.status().workspaces).toMatchObject([
      { workspaceId, state: 'kept', asOf: Date.parse('2026-11-16T06:00:00Z') },
    ]);
  });

  test('goes into service automatically once it is complete', async () => {
    const second = await publishBrands(each.store, workspaceId, [renamed], LATER);
    const file = fileOf(`${snapshotPrefix(workspaceId, second)}${prompts}`);
    const whole = await readFile(file);
    await rm(file);
    await each.service.refresh();
    expect(each.service.status().workspaces[0]!.state).toBe('kept');
    await writeFile(file, whole);
    await each.service.refresh();
    expect(each.events.changed).toEqual([second]);
    expect(each.service.status().workspaces[0]!.state).toBe('current');
  });

  test('of a workspace whose objects are all missing leaves the last good one in service', async () => {
    const before = textOf(await find(BRANDS_PATH));
    await publishBrands(each.store, '22222222-2222-4222-8222-222222222222', [acme]);
    await rm(fileOf(`workspaces/${workspaceId}`), { recursive: true });
    await each.service.refresh();
    expect(textOf(await find(BRANDS_PATH))).toBe(before);
    expect(each.events.kept).toHaveLength(1);
  });

  test('is found by the request itself if the old one was pruned before the refresh', async () => {
    const second = await publishBrands(each.store, workspaceId, [renamed], LATER);
    const competitors = documentPath(acme.id, 'competitors');
    await rm(fileOf(snapshotPrefix(workspaceId, first)), { recursive: true });
    const refreshed = each.service.refresh();
    const found = find(competitors).catch(() => null);
    await refreshed;
    await found;
    expect((await find(competitors))!.snapshotId).toBe(second);
  });
});
