/** @module-tag slow */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { snapshotPrefix } from '../../../snapshots/layout.ts';
import { partOfDay } from '../../../snapshots/verify/documents.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { auditIn } from '../audit-program.ts';
import { copyStore, makeTestKeys, workspaceIds } from '../history.ts';
import { publishHistory, publishWeek, testLog } from '../publish.ts';

const [workspaceId] = workspaceIds;
const root = await temporaryFolders()();
const log = await testLog(root);
const ids = await publishHistory(log);
const witness = await makeTestKeys(root, 'witness');
const cosigning = ['--cosign', witness.privateKey, '--witness-name', 'w.example'];

const verify = async (...options: string[]) =>
  await auditIn(root, { PUBLIC_KEY_FILE: log.keys.publicKey, STORE_URL: 'store' }, 'verify', ...options);

test('verify selects another part of the documents each day, and all of them within N days', () => {
  const noon = Date.parse('2026-11-16T12:00:00Z');
  const parts = Array.from({ length: 30 }, (_, day) => partOfDay(noon + day * 86_400_000, 30));
  expect(new Set(parts).size).toBe(30);
  expect([Math.min(...parts), Math.max(...parts)]).toEqual([1, 30]);
});

test('a witness keeps the checkpoint that it cosigned, and never cosigns a fork', async () => {
  const state = ['--state', 'witness.note'];
  expect((await verify(...cosigning, ...state)).output).toMatch(/\nIntact\.\n\u2014 w\.example [\w+/=]+\n$/);
  const kept = await readFile(join(root, 'witness.note'), 'utf8');
  for (const [name, workspace] of [
    ['branch', workspaceId],
    ['fork', workspaceIds[1]],
  ] as const) {
    await copyStore(join(root, 'store'), join(root, name, 'store'));
    await copyStore(join(root, 'lake'), join(root, name, 'lake'));
    await publishWeek(await testLog(join(root, name), { keys: log.keys }), workspace, '2026-11-23');
  }
  const branch = await verify(...cosigning, ...state, '--store', 'branch/store', '--json');
  expect(branch.json()).toMatchObject({ cosignature: expect.stringContaining('w.example') as string });
  const newer = await readFile(join(root, 'witness.note'), 'utf8');
  expect(newer).not.toBe(kept);
  for (const place of ['fork/store', 'store']) {
    const { status, output } = await verify(...cosigning, ...state, '--store', place);
    expect([status, output]).toEqual([1, expect.stringContaining('log_rewritten') as string]);
    expect(output).not.toContain('\u2014');
  }
  expect(await readFile(join(root, 'witness.note'), 'utf8')).toBe(newer);
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

test('verify of one snapshot reads its documents only, and names what is wrong', async () => {
  const harmed = join(root, 'harmed');
  await copyStore(join(root, 'store'), harmed);
  const key = `${snapshotPrefix(workspaceId, ids[1]!)}brands.json`;
  await writeFile(join(harmed, key), 'altered');
  const place = ['--store', harmed, '--workspace', workspaceId, '--metrics-file', join(root, 'verify.prom')];
  const found = await verify('2026-11-02', ...place);
  expect([found.status, found.output]).toEqual([1, expect.stringContaining(`${key}: `) as string]);
  expect(await readFile(join(root, 'verify.prom'), 'utf8')).toMatch(/^sightline_verify_intact 0$/m);
  expect((await verify('2026-11-09', ...place)).status).toBe(0);
  await rm(join(harmed, 'log/checkpoint'));
  expect((await verify('2026-11-09', ...place)).output).toContain('log_missing');
});

describe('verify', () => {
  test.each<[string, string[]]>([
    ['a cosignature without --state', cosigning],
    ['--cosign without a name', ['--cosign', witness.privateKey, '--state', 's.note']],
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
    ['the policy', ['--policy', 'no.policy'], /no\.policy cannot be read: ENOENT/],
  ])('that cannot read %s has status 3 and one line', async (_, options, message) => {
    const { status, output, complaint } = await verify(...options);
    expect({ status, output }).toEqual({ status: 3, output: '' });
    expect(complaint).toMatch(message);
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });
});
