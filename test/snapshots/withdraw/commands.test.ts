/** @module-tag long */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { auditIn } from '../audit-program.ts';
import { workspaceIds } from '../history.ts';
import { publishHistory, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';
import { documentOf } from '../verify/audited.ts';

const [workspaceId, otherId] = workspaceIds;

let log: TestLog;
let ids: string[];
beforeEach(async () => {
  log = await testLog(await temporaryFolder());
  ids = await publishHistory(log);
});

const settings = () => ({
  STORE_URL: 'store',
  LAKE_URL: 'lake',
  LOG_ORIGIN: log.origin,
  SIGNING_KEY_FILE: log.keys.privateKey,
  PUBLIC_KEY_FILE: log.keys.publicKey,
});
const audit = async (...options: string[]) => await auditIn(log.root, settings(), ...options);
const expectIntact = async () => expect(await audit('verify')).toMatchObject({ status: 0 });

describe('prune', () => {
  test('without --yes says what it would remove, and removes nothing', async () => {
    const { status, output } = await audit('prune', '--keep', '1');
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(/\nWould remove 6 snapshots, \d+ bytes\. To do it, add --yes\.\n$/),
    ]);
    const { json } = await audit('prune', '--keep', '1', '--json');
    expect(json()).toMatchObject({ isDryRun: true, workspaces: [{ workspaceId, refused: null }, {}] });
    expect((await audit('prune', '--keep', '1', '--yes')).output).toMatch(
      /\nRemoved 6 snapshots, \d+ bytes\.\n$/,
    );
    expect((await audit('prune', '--keep', '1', '--yes')).output).toMatch(
      /\nRemoved 0 snapshots, 0 bytes\.\n$/,
    );
    await expectIntact();
  });

  test('ends with status 1 if it left a workspace out, names it, and prunes the others', async () => {
    await writeFile(join(log.root, 'store', documentOf(workspaceId, ids[1]!)), 'altered');
    const { status, output, complaint } = await audit('prune', '--keep', '1', '--yes');
    expect([status, output]).toEqual([1, expect.stringMatching(/\nRemoved 3 snapshots, /)]);
    expect(complaint).toMatch(
      new RegExp(`^sightline: workspace ${workspaceId} was not pruned: it does not verify: `),
    );
    const { status: again, json } = await audit('prune', '--keep', '1', '--json');
    expect([again, json()]).toMatchObject([
      1,
      {
        workspaces: [
          { workspaceId, refused: expect.any(String) },
          { workspaceId: otherId, refused: null },
        ],
      },
    ]);
  });

  test('needs to know what, and a key; it makes none', async () => {
    for (const options of [[], ['--keep', '2026-02-30']])
      expect(await audit('prune', ...options)).toMatchObject({ status: 2, output: '' });
    const { SIGNING_KEY_FILE: _key, ...without } = settings();
    const { status, complaint } = await auditIn(log.root, without, 'prune', '--keep', '1');
    expect([status, complaint]).toEqual([
      2,
      expect.stringMatching(/^sightline: SIGNING_KEY_FILE is not set, /),
    ]);
    expect(await readdir(log.root)).not.toContain('.data');
  });
});

test('withdraw prints the snapshots, also as JSON', async () => {
  const mistaken = ['withdraw', 'current', '--workspace', workspaceId, '--reason', 'mistaken'];
  expect(await audit(...mistaken)).toMatchObject({ status: 0, output: `${ids[3]}: withdrawn, mistaken\n` });
  const { json } = await audit('withdraw', '--all', '--workspace', otherId, '--reason', 'removed', '--json');
  expect(json()).toMatchObject({ workspaceId: otherId, snapshotIds: { length: 4 } });
  for (const options of [
    ['current', '--reason', 'mistaken'],
    ['current', '--reason', 'removed', '--workspace', workspaceId],
    ['--all', '--reason', 'lost', '--workspace', workspaceId],
    ['--all-lost', '--reason', 'mistaken', '--workspace', workspaceId],
  ])
    expect(await audit('withdraw', ...options)).toMatchObject({ status: 2, output: '' });
  await expectIntact();
});
