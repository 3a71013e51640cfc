import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { historiesPrefix, snapshotPrefix } from '../../../snapshots/layout.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { auditIn } from '../audit-program.ts';
import { copyStore, workspaceIds } from '../history.ts';
import { publishHistory, testLog } from '../publish.ts';

const [workspaceId] = workspaceIds;
const root = await temporaryFolders()();
const log = await testLog(root);
const ids = await publishHistory(log);
const store = join(root, 'store');

const audit = async (...options: string[]) =>
  await auditIn(root, { PUBLIC_KEY_FILE: log.keys.publicKey }, ...options);

const ofOne = () => ['--store', store, '--workspace', workspaceId];

describe('list', () => {
  test('shows every snapshot with its state, newest first', async () => {
    const { status, json } = await audit('list', '--store', store, '--json');
    const { snapshots, broken } = json() as { snapshots: object[]; broken: object[] };
    expect([status, snapshots.length, broken]).toEqual([0, 8, []]);
    expect(snapshots[0]).toMatchObject({
      workspaceId,
      sequence: 4,
      snapshotId: ids[3],
      asOf: '2026-11-16T06:00:00.000Z',
      isCurrent: true,
      withdrawn: null,
      brands: 2,
      documents: 17,
    });
  });

  test('reports why the history of a workspace cannot be read, shows the others, and has status 1', async () => {
    const harmed = join(root, 'harmed-list');
    await copyStore(store, harmed);
    await rm(join(harmed, historiesPrefix(workspaceId)), { recursive: true });
    const { status, json } = await audit('list', '--store', harmed, '--json');
    const { snapshots, broken } = json() as { snapshots: object[]; broken: object[] };
    expect({ status, snapshots: snapshots.length }).toEqual({ status: 1, snapshots: 4 });
    expect(broken).toMatchObject([
      { workspaceId, reason: expect.stringMatching(/histories.* is missing/) as string },
    ]);
  });

  test.each<[string, string[], RegExp]>([
    [
      'a missing folder',
      ['--store', join(root, 'nowhere')],
      /^sightline: store .*nowhere does not exist; the weekly job creates it\n$/,
    ],
    ['a store without a log', ['--store', root], /^sightline: .* has no log: nothing was published\n$/],
    [
      'another key',
      ['--store', store, '--public-key', join(root, 'no.pem')],
      /^sightline: --public-key: .*no\.pem cannot be read/,
    ],
  ])('of %s is one line and status 1', async (_, options, message) => {
    const { status, output, complaint } = await audit('list', ...options);
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(complaint).toMatch(message);
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

  test('without a document gives the manifest, and what the log says of it', async () => {
    const { json } = await audit('show', 'current', '--json', ...ofOne());
    expect(json()).toMatchObject({
      snapshotId: ids[3],
      sequence: 4,
      withdrawn: null,
      publishedAt: '2026-11-16T07:00:00.000Z',
    });
  });

  test.each([
    [['--document', 'week'], 'week.json'],
    [['--table', 'visibility'], 'tables/visibility.json'],
  ])('%j gives a document of the whole workspace', async (options, path) => {
    const { status, bytes } = await audit('show', ...options, ...ofOne());
    const published = await readFile(join(store, snapshotPrefix(workspaceId, ids[3]!), path));
    expect([status, sha256(bytes)]).toEqual([0, sha256(published)]);
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

  test('never shows other bytes than the published ones', async () => {
    const harmed = join(root, 'harmed-show');
    await copyStore(store, harmed);
    await writeFile(join(harmed, snapshotPrefix(workspaceId, ids[3]!), 'brands.json'), '{"data":[]}\n');
    const options = ['--document', 'brands', '--store', harmed, '--workspace', workspaceId];
    const { status, output, complaint } = await audit('show', ...options);
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(complaint).toContain('does not have the bytes that its manifest names');
  });
});

test('a file name cannot move the cursor of the terminal', async () => {
  const harmed = join(root, 'harmed-terminal');
  await copyStore(store, harmed);
  await writeFile(join(harmed, 'x\u001b[2J\u001b[1;1HIntact.\n\u202e'), '');
  const { status, output } = await audit('verify', '--store', harmed);
  expect(status).toBe(1);
  expect(output).toContain('x [2J [1;1HIntact.');
  expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});

describe('keygen', () => {
  test('writes a key pair with a private key that only its owner can read, and never overwrites one', async () => {
    const { status, json } = await audit('keygen', '--out', join(root, 'keys/made'), '--json');
    const made = json() as Record<'privateKey' | 'publicKey' | 'fingerprint', string>;
    expect(status).toBe(0);
    expect((await stat(made.privateKey)).mode & 0o777).toBe(0o600);
    const before = await readFile(made.privateKey, 'utf8');
    const again = await audit('keygen', '--out', join(root, 'keys/made'));
    expect(again).toMatchObject({ status: 1, output: '' });
    expect(again.complaint).toContain('it exists already');
    expect(await readFile(made.privateKey, 'utf8')).toBe(before);
  });
});

test.each(['list', 'show', 'verify', 'diff', 'rebuild', 'prune', 'withdraw', 'rotate', 'log', 'keygen'])(
  '%s has --help, and refuses unknown options',
  async (name) => {
    const help = await audit(name, '--help');
    expect(help).toMatchObject({ status: 0, complaint: '' });
    expect(help.output).toContain(`Usage: audit ${name}`);
    expect(await audit(name, '--unheard-of')).toMatchObject({ status: 2, output: '' });
  },
);
