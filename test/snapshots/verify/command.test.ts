/** @module-tag slow */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { partOfDay } from '../../../snapshots/verify/documents.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { auditIn } from '../audit-program.ts';
import { copyStore, workspaceIds } from '../history.ts';
import { publishHistory, publishWeek, testLog } from '../publish.ts';

const [workspaceId] = workspaceIds;
const root = await temporaryFolders()();
const log = await testLog(root);
await publishHistory(log);

const verify = async (...options: string[]) =>
  await auditIn(root, { PUBLIC_KEY_FILE: log.keys.publicKey, STORE_URL: 'store' }, 'verify', ...options);

test('verify selects another part of the documents each day, and all of them within N days', () => {
  const noon = Date.parse('2026-11-16T12:00:00Z');
  const parts = Array.from({ length: 30 }, (_, day) => partOfDay(noon + day * 86_400_000, 30));
  expect(new Set(parts).size).toBe(30);
  expect([Math.min(...parts), Math.max(...parts)]).toEqual([1, 30]);
});

test('--state keeps the newest checkpoint that was verified, and accepts no fork and no older state', async () => {
  const state = ['--state', 'kept.note'];
  expect(await verify(...state)).toMatchObject({ status: 0 });
  const kept = await readFile(join(root, 'kept.note'), 'utf8');
  for (const [name, workspace] of [
    ['branch', workspaceId],
    ['fork', workspaceIds[1]],
  ] as const) {
    await copyStore(join(root, 'store'), join(root, name, 'store'));
    await copyStore(join(root, 'lake'), join(root, name, 'lake'));
    await publishWeek(await testLog(join(root, name), { keys: log.keys }), workspace, '2026-11-23');
  }
  expect(await verify(...state, '--store', 'branch/store')).toMatchObject({ status: 0 });
  const newer = await readFile(join(root, 'kept.note'), 'utf8');
  expect(newer).not.toBe(kept);
  for (const place of ['fork/store', 'store']) {
    const { status, output } = await verify(...state, '--store', place);
    expect([status, output]).toEqual([1, expect.stringContaining('log_rewritten') as string]);
  }
  expect(await readFile(join(root, 'kept.note'), 'utf8')).toBe(newer);
});

test.each([
  ['.kept', 'must not begin with a dot'],
  ['kept/', 'is neither a file nor s3://bucket/key'],
  ['s3://bucket', 'is neither a file nor s3://bucket/key'],
])('--state %s is refused in one line', async (state, reason) => {
  const { status, output, complaint } = await verify('--state', state);
  expect([status, output]).toEqual([3, '']);
  expect(complaint).toMatch(new RegExp(`^sightline: --state ${state}[^\\n]*${reason}\\n$`));
});

test('a part is intact as far as it was read, and neither moves the state nor writes metrics', async () => {
  const part = ['--workspace', workspaceId, '--state', 'part.note', '--metrics-file', 'part.prom'];
  const { status, output } = await verify(...part);
  expect(status).toBe(0);
  expect(output).toContain(`\nIntact, as far as was read: workspace ${workspaceId}.\n`);
  for (const file of ['part.note', 'part.prom'])
    await expect(readFile(join(root, file))).rejects.toThrow('ENOENT');
});

describe('the usual state', () => {
  test('refuses an older state of a store that any command saw, and keeps both checkpoints', async () => {
    await copyStore(join(root, 'branch/store'), join(root, 'seen'));
    const settings = { PUBLIC_KEY_FILE: log.keys.publicKey, STORE_URL: 'seen' };
    expect(await auditIn(root, settings, 'list')).toMatchObject({ status: 0 });
    await rm(join(root, 'seen'), { recursive: true });
    await copyStore(join(root, 'store'), join(root, 'seen'));
    const { status, complaint } = await auditIn(root, settings, 'list');
    expect([status, complaint]).toEqual([1, expect.stringMatching(/an older state was put back/)]);
    expect(complaint).toMatch(/both checkpoints are kept: \S+\.checkpoint, and next to it \S+\.refused-/);
    expect(await auditIn(root, settings, 'list', '--state', 'none')).toMatchObject({ status: 0 });
    const verdict = await auditIn(root, settings, 'verify');
    expect([verdict.status, verdict.output]).toEqual([1, expect.stringContaining('log_rewritten')]);
  });

  test('names another log at the same address, and how to forget the one before', async () => {
    const other = await testLog(join(root, 'branch'), { keys: log.keys, origin: 'other.example/log' });
    await publishWeek({ ...other, store: directoryStore(join(root, 'other')) }, workspaceId, '2026-11-16');
    const settings = { PUBLIC_KEY_FILE: log.keys.publicKey, STORE_URL: 'here' };
    await copyStore(join(root, 'store'), join(root, 'here'));
    expect(await auditIn(root, settings, 'list')).toMatchObject({ status: 0 });
    await rm(join(root, 'here'), { recursive: true });
    await copyStore(join(root, 'other'), join(root, 'here'));
    const { complaint } = await auditIn(root, settings, 'list');
    const [, command] = /another log than the one remembered: .* forget it: (rm \S+)/.exec(complaint)!;
    await rm(command!.slice('rm '.length));
    expect(await auditIn(root, settings, 'list')).toMatchObject({ status: 0 });
  });
});

describe('verify', () => {
  test.each<[string, string[]]>([
    ['an id that is none', ['--workspace', 'no id']],
    ['a part that is none', ['--read-data-subset', '5/4']],
    ['an age without its unit', ['--not-older-than', '9']],
  ])('with %s has status 2', async (_, options) => {
    expect(await verify(...options)).toMatchObject({ status: 2, output: '' });
  });

  test.each<[string, string[], RegExp]>([
    ['a store', ['--store', 'nowhere'], /nowhere does not exist/],
    ['the key', ['--public-key', 'no.pem'], /no\.pem cannot be read: ENOENT/],
    ['the state', ['--state', 'own.public.pem'], /own\.public\.pem is not a signed note/],
    ['a kept checkpoint', ['--checkpoint', 'no.note'], /no\.note cannot be read: ENOENT/],
  ])('that cannot read %s has status 3 and one line', async (_, options, message) => {
    const { status, output, complaint } = await verify(...options);
    expect({ status, output }).toEqual({ status: 3, output: '' });
    expect(complaint).toMatch(message);
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });
});
