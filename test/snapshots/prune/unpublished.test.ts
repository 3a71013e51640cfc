import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { snapshotPrefix } from '../../../snapshots/layout.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { auditIn } from '../audit-program.ts';
import { keysOf, publishSignedHistory, publishWeek, snapshotIdsOf, workspaceIds } from '../history.ts';
import type { Keys } from '../history.ts';

const [workspaceId, otherId] = workspaceIds;
let root: string;
let folder: string;
let store: ObjectStore;
let own: Keys;
/** Before a publication died. */
let published: string[];
/** The keys that it left. */
let left: string[];

beforeEach(async () => {
  ({ root, folder, store, own } = await publishSignedHistory(await temporaryFolder()));
  published = await keysOf(store);
  const dying = interposedStore(store, {
    before({ method }) {
      if (method === 'swap') throw new Error('killed before the pointer moved');
    },
  });
  await publishWeek(dying, workspaceId, '2026-11-23', own.signer).catch(() => undefined);
  left = (await keysOf(store)).filter((key) => !published.includes(key));
});

const audit = async (command: string, ...options: string[]) =>
  await auditIn(root, { PUBLIC_KEY_FILE: own.publicKey }, command, '--store', folder, ...options);
const prune = async (...options: string[]) => await audit('prune', '--unpublished', ...options);

describe('prune --unpublished', () => {
  test('without --yes only lists exactly the leftovers of a killed publication', async () => {
    const shown = await prune('--json');
    expect(shown.json()).toEqual({ isDryRun: true, objects: expect.arrayContaining(left) as string[] });
    expect((shown.json()['objects'] as string[]).length).toBe(left.length);
    expect(left.length).toBeGreaterThan(13); // the documents, the manifest and others
    const { status, output } = await prune();
    expect(status).toBe(0);
    expect(output).toContain(`Would remove ${left.length} objects. To do it, add --yes.\n`);
    expect(await keysOf(store)).toEqual(expect.arrayContaining(left));
  });

  test('with --yes removes them, needs no private key, and the store verifies without notes', async () => {
    const { status, output } = await prune('--yes');
    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringContaining(`Removed ${left.length} objects.\n`) as string,
    });
    expect(await keysOf(store)).toEqual(published);
    const verified = await audit('verify', '--json');
    expect(verified.json()).toMatchObject({ isIntact: true, notes: [], checked: { snapshots: 8 } });
    expect((await prune('--yes')).output).toBe('Removed 0 objects.\n');
    await publishWeek(store, workspaceId, '2026-11-23', own.signer);
    expect((await audit('verify', '--json')).json()).toMatchObject({ isIntact: true, notes: [] });
  });

  test('of another workspace does not remove them', async () => {
    expect((await prune('--yes', '--workspace', otherId)).output).toBe('Removed 0 objects.\n');
    expect(await keysOf(store)).toEqual(expect.arrayContaining(left));
  });

  test('refuses a store that does not verify, whose objects may be evidence, and removes nothing', async () => {
    const [first] = await snapshotIdsOf(folder, otherId);
    await writeFile(join(folder, snapshotPrefix(otherId, first!), 'brands.json'), 'altered');
    const before = await keysOf(store);
    const { status, output, complaint } = await prune('--yes');
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(complaint).toMatch(/the store does not verify, and nothing was removed: .*brands\.json/);
    expect(await keysOf(store)).toEqual(before);
  });

  test('never removes a published snapshot that lost its receipt', async () => {
    const ids = await snapshotIdsOf(folder, otherId);
    const newest = `${snapshotPrefix(otherId, ids.at(-1)!)}receipt.json`;
    await rm(join(folder, newest));
    const { json } = await prune('--json');
    expect((json()['objects'] as string[]).filter((key) => key.includes(otherId))).toEqual([]);
  });

  test('cannot be combined with --keep', async () => {
    expect(await prune('--keep', '2')).toMatchObject({ status: 2, output: '' });
    expect(await audit('prune')).toMatchObject({ status: 2, output: '' });
  });
});
