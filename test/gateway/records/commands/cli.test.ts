import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { signedHead } from '../../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../../snapshots/log/notes/note.ts';
import { makeTestKeys } from '../../../snapshots/history.ts';
import { runHere } from '../../../support/command-line.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const id = '11111111-1111-4111-8111-111111111111';
let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const records = (...args: string[]) =>
  runHere('records', args, { settings: { RECORDS_URL: `sqlite:${folder}/below/records.db` } });
const setWorkspace = (...args: string[]) => records('workspace', 'set', id, '--name', 'Acme Ltd', ...args);

test('a key is printed once, alone on stdout, and stored nowhere', async () => {
  expect(await setWorkspace('--plan', 'Agency')).toMatchObject({ status: 0, stderr: '' });
  const created = await records('key', 'create', id, '--label', 'nightly');
  expect(created.status).toBe(0);
  expect(created.stdout).toMatch(/^vis_[0-9a-f]{48}\n$/);
  const key = created.stdout.trim();
  expect(created.stderr).toContain(key.slice(0, 12));
  expect(created.stderr).not.toContain(key.slice(0, 13));
  const listed = await records('key', 'list', id);
  expect(listed.stdout).toContain('nightly');
  expect(listed.stdout).toContain(key.slice(0, 12));
  expect(listed.stdout).not.toContain(key.slice(0, 13));
  expect(await readFile(join(folder, 'below', 'records.db'), 'latin1')).not.toContain(key.slice(0, 13));
});

test('every command prints JSON', async () => {
  const set = await setWorkspace('--plan', 'scale', '--requests-per-minute', '7', '--json');
  const workspace = {
    id,
    name: 'Acme Ltd',
    plan: 'scale',
    includesApi: true,
    requestsPerMinute: 7,
    activeKeys: 0,
  };
  expect(JSON.parse(set.stdout)).toEqual(workspace);
  const ofPlan = await records('workspace', 'set', id, '--requests-per-minute', 'plan', '--json');
  expect(JSON.parse(ofPlan.stdout)).toEqual({ ...workspace, requestsPerMinute: 120 });
  const created = JSON.parse((await records('key', 'create', id, '--json')).stdout) as Record<
    string,
    unknown
  >;
  expect(created['key']).toMatch(/^vis_[0-9a-f]{48}$/);
  const prefix = String(created['key']).slice(0, 12);
  expect(created).toMatchObject({ prefix, workspaceId: id, label: null, lastUsedAt: null, revokedAt: null });
  expect(JSON.parse((await records('workspace', 'list', '--json')).stdout)).toEqual([
    { ...workspace, requestsPerMinute: 120, activeKeys: 1 },
  ]);
  const revoked = await records('key', 'revoke', prefix, '--json');
  expect(JSON.parse(revoked.stdout)).toMatchObject({ prefix, revokedAt: expect.any(String) as string });
  expect(JSON.parse((await records('key', 'list', id, '--json')).stdout)).toHaveLength(1);
});

test('log shows and forgets the checkpoint that gateways remember', async () => {
  await setWorkspace('--plan', 'agency');
  const none = await records('log', 'show');
  expect(none).toMatchObject({ status: 0, stdout: '', stderr: 'no checkpoint is kept yet\n' });
  const origin = 'sightline.example/log';
  const { signer } = await makeTestKeys(folder, 'own');
  const root = Buffer.alloc(32, 7);
  const note = formatNote(signedHead({ origin, size: 12, root }, [signer]).note);
  const opened = openSqliteRecords(`${folder}/below/records.db`, { clock: systemClock });
  await opened.keepCheckpoint(origin, 12, note);
  await opened.close();
  const described = {
    origin,
    note,
    keptAt: expect.any(String) as string,
    size: 12,
    root: root.toString('base64'),
  };
  expect(JSON.parse((await records('log', 'show', '--json')).stdout)).toEqual([described]);
  const table = await records('log', 'show');
  expect(table.stdout).toMatch(/^origin +size +root +kept\nsightline\.example\/log +12 +BwcH\S+ +2\S+Z\n$/);
  expect(JSON.parse((await records('log', 'forget', origin, '--json')).stdout)).toEqual(described);
  expect(await records('log', 'forget', origin)).toEqual({
    status: 1,
    stdout: '',
    stderr: `sightline: no checkpoint is kept of the log ${origin}\n`,
  });
});

test('a plan without the API is accepted, with a note', async () => {
  const set = await setWorkspace('--plan', 'agencies');
  expect(set).toMatchObject({ status: 0, stderr: expect.stringContaining('"agencies"') as string });
});

test.each([
  [['workspace', 'set', 'acme', '--name', 'A', '--plan', 'agency'], 'expected a UUID'],
  [['workspace', 'set', id, '--name', ' ', '--plan', 'agency'], 'expected some text'],
  [['workspace', 'set', id, '--name', 'A', '--plan', 'agency', '--requests-per-minute', '0'], 'whole number'],
  [['key', 'create', 'acme'], 'expected a UUID'],
  [['key', 'revoke', '%%%%%%%%%%%%'], 'first 12 characters'],
])('%j is wrong usage, status 2, and touches nothing', async (args, said) => {
  const ended = await records(...args);
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toContain(said);
  await expect(readFile(join(folder, 'below', 'records.db'))).rejects.toThrow('ENOENT');
});
