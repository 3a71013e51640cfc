import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { signedHead } from '../../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../../snapshots/log/notes/note.ts';
import { makeTestKeys } from '../../../snapshots/history.ts';
import { runHere } from '../../../support/command-line.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { managing, one as id } from '../contract.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, 'below', 'records.db');
});

const records = (...args: string[]) =>
  runHere('records', args, { settings: { RECORDS_URL: `sqlite:${path}` } });
const setWorkspace = (...args: string[]) => records('workspace', 'set', id, '--name', 'Acme Ltd', ...args);
const jsonOf = async (...args: string[]) => {
  const { status, stdout } = await records(...args, '--json');
  expect(status).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
};

test('a key is printed once, alone on stdout, and stored nowhere', async () => {
  expect(await setWorkspace('--plan', 'Agency')).toMatchObject({ status: 0, stderr: '' });
  const created = await records('key', 'create', id, '--label', 'nightly');
  expect(created.status).toBe(0);
  expect(created.stdout).toMatch(/^vis_[0-9a-f]{48}\n$/);
  const listed = await records('key', 'list', id);
  expect(listed.stdout).toContain('nightly');
  const key = created.stdout.trim();
  for (const text of [created.stderr, listed.stdout]) {
    expect(text).toContain(key.slice(0, 12));
    expect(text).not.toContain(key.slice(0, 13));
  }
  const stored = await readFile(path, 'latin1');
  expect(stored).not.toContain(key.slice(0, 13));
  expect(stored).toContain(createHash('sha256').update(key).digest('hex'));
});

test('workspaces and keys are printed as JSON, and a plan without the API with a note', async () => {
  const limits = { includesApi: true, requestsPerMinute: 7, activeKeys: 0 };
  const workspace = { id, name: 'Acme Ltd', plan: 'scale', ...limits };
  await setWorkspace('--plan', 'scale');
  expect(await jsonOf('workspace', 'set', id, '--requests-per-minute', '7')).toEqual(workspace);
  const ofPlan = { ...workspace, requestsPerMinute: 120 };
  expect(await jsonOf('workspace', 'set', id, '--requests-per-minute', 'plan')).toEqual(ofPlan);
  const created = await jsonOf('key', 'create', id);
  expect(created['key']).toMatch(/^vis_[0-9a-f]{48}$/);
  const prefix = String(created['key']).slice(0, 12);
  expect(created).toMatchObject({ prefix, workspaceId: id, label: null, lastUsedAt: null, revokedAt: null });
  expect(await jsonOf('workspace', 'list')).toEqual([{ ...ofPlan, activeKeys: 1 }]);
  const revoked = { prefix, revokedAt: expect.any(String) as string };
  expect(await jsonOf('key', 'revoke', prefix)).toMatchObject(revoked);
  expect(await jsonOf('key', 'list', id)).toMatchObject([revoked]);
  expect((await setWorkspace('--plan', 'agencies')).stderr).toContain('"agencies"');
});

test('log shows and forgets the checkpoint that gateways remember', async () => {
  await setWorkspace('--plan', 'agency');
  const none = await records('log', 'show');
  expect(none).toMatchObject({ status: 0, stdout: '', stderr: 'no checkpoint is kept yet\n' });
  const origin = 'sightline.example/log';
  const { signer } = await makeTestKeys(folder, 'own');
  const root = Buffer.alloc(32, 7);
  const note = formatNote(signedHead({ origin, size: 12, root }, [signer]).note);
  const opened = openSqliteRecords(path, { clock: systemClock });
  await opened.keepCheckpoint(origin, 12, note);
  await opened.close();
  const keptAt = expect.any(String) as string;
  const described = { origin, note, keptAt, size: 12, root: root.toString('base64') };
  expect(await jsonOf('log', 'show')).toEqual([described]);
  const table = await records('log', 'show');
  expect(table.stdout).toMatch(/^origin +size +root +kept\nsightline\.example\/log +12 +BwcH\S+ +2\S+Z\n$/);
  expect(await jsonOf('log', 'forget', origin)).toEqual(described);
  const stderr = `sightline: no checkpoint is kept of the log ${origin}\n`;
  expect(await records('log', 'forget', origin)).toEqual({ status: 1, stdout: '', stderr });
});

test('a file that does not exist, or is empty, is made into records by "workspace set" and "migrate" only', async () => {
  const refuse = async (what: string) => {
    const remedy =
      'correct RECORDS_URL, or create the records with "npm run records -- migrate" or "workspace set"';
    const stderr = `sightline: records file ${path} ${what}: ${remedy}\n`;
    for (const args of managing) expect(await records(...args)).toEqual({ status: 1, stdout: '', stderr });
  };
  await refuse('does not exist');
  expect(existsSync(dirname(path))).toBe(false);
  await mkdir(dirname(path));
  await writeFile(path, '');
  await refuse('contains no records');
  expect((await readFile(path)).length).toBe(0);
  expect((await records('migrate')).status).toBe(0);
  expect((await records('workspace', 'list')).status).toBe(0);
});

test('a file of another program is refused by every command, and not changed', async () => {
  await mkdir(dirname(path));
  using shop = new DatabaseSync(path);
  shop.exec('create table orders (id integer); create table keys (id integer)');
  const before = await readFile(path);
  const line = `records file ${path} is the database of another program or of an unreleased version`;
  const refused = { status: 1, stdout: '', stderr: `sightline: ${line}\n` };
  for (const args of [...managing, ['migrate']]) expect(await records(...args)).toEqual(refused);
  expect(await setWorkspace('--plan', 'agency')).toEqual(refused);
  expect(await readFile(path)).toEqual(before);
});

test.each([
  [['workspace', 'set', 'acme', '--name', 'A', '--plan', 'agency'], 'expected a UUID'],
  [['workspace', 'set', id, '--name', 'A', '--plan', 'agency', '--requests-per-minute', '0'], 'whole number'],
  [['key', 'revoke', '%%%%%%%%%%%%'], 'first 12 characters'],
  [['copy', '--from', 'a.db', '--to', 'postgres://127.0.0.1:1/x'], 'expected sqlite:PATH'],
  [['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db'], 'expected postgres://…'],
])('%j is wrong usage, status 2, and touches nothing', async (args, said) => {
  const ended = await records(...args);
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toContain(said);
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});
