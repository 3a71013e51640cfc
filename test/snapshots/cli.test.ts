import { spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../lib/hash.ts';
import { snapshotPrefix } from '../../snapshots/layout.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  copyStore,
  makeTestKeys,
  publishHistory,
  publishWeek,
  snapshotIdsOf,
  workspaceIds,
} from './history.ts';
import type { Keys } from './history.ts';

const cli = join(import.meta.dirname, '../../snapshots/cli.ts');
const [workspaceId] = workspaceIds;
let root: string;
let store: string;
let own: Keys;
let ids: string[];

beforeAll(async () => {
  root = await temporaryFolder((remove) => afterAll(remove));
  store = join(root, 'store');
  own = await makeTestKeys(root, 'own');
  await publishHistory(store, own.signer);
  ids = await snapshotIdsOf(store, workspaceId);
});

async function audit(...options: string[]) {
  return await auditIn({}, ...options);
}

async function auditIn(settings: Record<string, string>, ...options: string[]) {
  const {
    STORE_URL: _store,
    PUBLIC_KEY_FILE: _key,
    SIGNING_KEY_FILE: _signing,
    ...environment
  } = process.env;
  const child = spawn(process.execPath, [cli, ...options], {
    cwd: root,
    env: { ...environment, ...settings },
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, bytes, complaint] = await Promise.all([closed, buffer(child.stdout), text(child.stderr)]);
  const output = bytes.toString();
  return { status, bytes, output, complaint, json: () => JSON.parse(output) as Record<string, unknown> };
}

const ofOne = () => ['--store', store, '--workspace', workspaceId];

describe('list', () => {
  test('shows every snapshot with what it is, newest first', async () => {
    const { status, json } = await audit('list', '--store', store, '--json', '--public-key', own.publicKey);
    const { snapshots } = json() as { snapshots: object[] };
    expect(status).toBe(0);
    expect(snapshots).toHaveLength(8);
    expect(snapshots[0]).toMatchObject({
      workspaceId,
      snapshotId: ids[3],
      asOf: '2026-11-16T06:00:00.000Z',
      isCurrent: true,
      isPruned: false,
      brands: 2,
      documents: 11,
      signedBy: own.fingerprint,
      signature: 'valid',
    });
  });

  test('of a chain that is broken shows what is newer, why it ends, and has status 1', async () => {
    const harmed = join(root, 'harmed-list');
    await copyStore(store, harmed);
    await writeFile(join(harmed, snapshotPrefix(workspaceId, ids[1]!), 'manifest.json'), '{}');
    const { status, json } = await audit('list', '--store', harmed, '--json');
    const { snapshots, broken } = json() as { snapshots: object[]; broken: object[] };
    expect({ status, snapshots: snapshots.length }).toEqual({ status: 1, snapshots: 6 });
    expect(broken).toMatchObject([{ workspaceId, reason: expect.stringContaining(ids[1]!) as string }]);
  });

  test('of a folder that is not there is one line and status 1', async () => {
    const { status, output, complaint } = await audit('list', '--store', join(root, 'nowhere'));
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(complaint).toMatch(/^sightline: store .*nowhere does not exist; the weekly job makes it\n$/);
  });
});

describe('show', () => {
  test.each([
    ['current', 3],
    ['previous', 2],
    ['2026-11-04', 1],
    ['2026-11-02', 1],
    ['20261026', 0],
  ])('%s gives the bytes of that week and nothing else', async (reference, week) => {
    const { status, bytes } = await audit('show', reference, '--document', 'brands', ...ofOne());
    const published = await readFile(join(store, snapshotPrefix(workspaceId, ids[week]!), 'brands.json'));
    expect({ status, hash: sha256(bytes) }).toEqual({ status: 0, hash: sha256(published) });
  });

  test.each([
    [['show', '2026-01-01'], /has no snapshot 2026-01-01/],
    [['show', '20261'], /20261 is too short: an id needs at least its first 8 characters/],
    [['show', '2026-13-45'], /2026-13-45 is not a date/],
    [['show', 'current', '--document', 'brands', '--store'], /name one of the 2 workspaces with --workspace/],
  ])('of what cannot be told says why: %j', async (options, message) => {
    const place = options.at(-1) === '--store' ? [store] : ofOne();
    const { status, complaint } = await audit(...options, ...place);
    expect(status).toBe(1);
    expect(complaint).toMatch(message);
  });

  test('never shows other bytes than were published', async () => {
    const harmed = join(root, 'harmed-show');
    await copyStore(store, harmed);
    await writeFile(join(harmed, snapshotPrefix(workspaceId, ids[3]!), 'brands.json'), '{"data":[]}\n');
    const options = ['--document', 'brands', '--store', harmed, '--workspace', workspaceId];
    const { status, output, complaint } = await audit('show', ...options);
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(complaint).toContain('does not have the bytes that its manifest names');
  });
});

describe('verify', () => {
  test('of a whole store says so, with status 0, and its JSON can be given back to it', async () => {
    const first = await audit('verify', '--store', store, '--json', '--public-key', own.publicKey);
    expect(first.status).toBe(0);
    expect(first.json()).toMatchObject({
      isIntact: true,
      checked: { workspaces: 2, documents: 88, signatures: 8 },
    });
    await writeFile(join(root, 'seen.json'), first.output);
    const again = await audit('verify', '--store', store, '--seen', join(root, 'seen.json'));
    expect(again.status).toBe(0);
    expect(again.output).toContain('4 of 4 snapshots are signed, but no public key was given');
  });

  test('names what is wrong, since when, and has status 1; of another week it has not', async () => {
    const harmed = join(root, 'harmed-verify');
    await copyStore(store, harmed);
    const key = `${snapshotPrefix(workspaceId, ids[1]!)}brands.json`;
    await writeFile(join(harmed, key), 'altered');
    const place = ['--store', harmed, '--workspace', workspaceId];
    const all = await audit('verify', ...place);
    expect(all.status).toBe(1);
    expect(all.output).toContain(`altered (since 2026-11-02T06:00:00.000Z): ${key}: `);
    expect(all.output).toContain('Not intact: 1 problem, the oldest in the snapshot as of 2026-11-02');
    expect((await audit('verify', '2026-11-02', ...place)).status).toBe(1);
    expect((await audit('verify', '2026-11-09', ...place)).status).toBe(0);
  });

  test('writes what it found for Prometheus, whole or harmed; a file that cannot be written is status 3', async () => {
    const file = join(root, 'verify.prom');
    const harmed = join(root, 'harmed-metrics');
    await copyStore(store, harmed);
    await writeFile(join(harmed, snapshotPrefix(workspaceId, ids[1]!), 'brands.json'), 'altered');
    expect((await audit('verify', '--store', store, '--metrics-file', file)).status).toBe(0);
    const sound = await readFile(file, 'utf8');
    expect(sound).toMatch(/^sightline_verify_intact 1$/m);
    expect(sound).toMatch(/^sightline_verify_problems 0$/m);
    expect(sound).toMatch(/^sightline_verify_documents 88$/m);
    expect(sound).toMatch(/^sightline_verify_last_run_timestamp_seconds \d+/m);
    expect((await audit('verify', '--store', harmed, '--metrics-file', file)).status).toBe(1);
    expect(await readFile(file, 'utf8')).toMatch(/^sightline_verify_intact 0$/m);
    expect(await readFile(file, 'utf8')).toMatch(/^sightline_verify_problems 1$/m);
    const nowhere = await audit('verify', '--store', store, '--metrics-file', join(root, 'nowhere/a.prom'));
    expect(nowhere.status).toBe(3);
    expect(nowhere.complaint).toContain('nowhere/a.prom cannot be written');
  });

  test('with a key refuses what is not signed, and vouches for what is older than signing', async () => {
    const folder = join(root, 'late');
    const late = await copyStore(join(root, 'store'), folder);
    const fresh = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c0a';
    await publishWeek(late, fresh, '2026-11-02');
    const place = ['--store', folder, '--workspace', fresh, '--public-key', own.publicKey, '--json'];
    const unsigned = await audit('verify', ...place);
    expect(unsigned.json()).toMatchObject({ problems: [{ kind: 'unsigned' }] });
    await publishWeek(late, fresh, '2026-11-09', own.signer);
    const vouched = await audit('verify', ...place);
    expect(vouched.status).toBe(0);
    expect(vouched.json()).toMatchObject({ problems: [], notes: [{ kind: 'unsigned history' }] });
  });
});

describe('verify that could not look has status 3 and one line', () => {
  test.each<[string, (place: string) => Promise<string[]>, RegExp]>([
    ['without a store', async () => ['--store', join(root, 'nowhere')], /nowhere does not exist/],
    ['without the key', async () => ['--public-key', join(root, 'no.pem')], /no\.pem cannot be read: ENOENT/],
    [
      'with a file of another kind for its own JSON',
      async (place) => {
        await writeFile(join(place, '../other.json'), '{"heads":[{"workspaceId":1}]}');
        return ['--seen', join(place, '../other.json')];
      },
      /other\.json is not what verify --json printed: heads\.0\.workspaceId: .*string.*; heads/,
    ],
  ])('%s', async (name, arrange, message) => {
    const harmed = join(root, `unreadable ${name}`, 'store');
    await copyStore(store, harmed);
    const { status, output, complaint } = await audit(
      'verify',
      '--store',
      harmed,
      ...(await arrange(harmed)),
    );
    expect({ status, output }).toEqual({ status: 3, output: '' });
    expect(complaint).toMatch(message);
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });

  test('and wrong usage has 2', async () => {
    expect(await audit('verify', '--workspace', 'no id')).toMatchObject({ status: 2, output: '' });
  });
});

test('a name of a file cannot move the cursor of the terminal', async () => {
  const harmed = join(root, 'harmed-terminal');
  await copyStore(store, harmed);
  await writeFile(join(harmed, 'x\u001b[2J\u001b[1;1HIntact.\n\u202e'), '');
  const { status, output } = await audit('verify', '--store', harmed);
  expect(status).toBe(1);
  expect(output).toContain('x [2J [1;1HIntact.');
  expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});

test('a TMPDIR that does not exist is one line', async () => {
  const { status, complaint } = await auditIn(
    { TMPDIR: join(root, 'no-such-folder') },
    'rebuild',
    '--lake',
    root,
    ...ofOne(),
  );
  expect(status).toBe(1);
  expect(complaint).toMatch(/^sightline: ENOENT: no such file or directory, mkdtemp '.*no-such-folder.*'\n$/);
});

describe('keygen', () => {
  test('writes a pair of which only its owner can read the private key, and never over another', async () => {
    const { status, json } = await audit('keygen', '--out', join(root, 'keys/made'), '--json');
    const made = json() as Record<'privateKey' | 'publicKey' | 'fingerprint', string>;
    expect(status).toBe(0);
    expect((await stat(made.privateKey)).mode & 0o777).toBe(0o600);
    const before = await readFile(made.privateKey, 'utf8');
    const again = await audit('keygen', '--out', join(root, 'keys/made'));
    expect(again).toMatchObject({ status: 1, output: '' });
    expect(again.complaint).toContain('it is there already');
    expect(await readFile(made.privateKey, 'utf8')).toBe(before);
  });
});

test.each(['list', 'show', 'verify', 'diff', 'report', 'rebuild', 'prune', 'keygen'])(
  '%s explains itself, and takes no option that it does not know',
  async (name) => {
    const help = await audit(name, '--help');
    expect(help).toMatchObject({ status: 0, complaint: '' });
    expect(help.output).toContain(`Usage: audit ${name}`);
    expect(await audit(name, '--unheard-of')).toMatchObject({ status: 2, output: '' });
  },
);
