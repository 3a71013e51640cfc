/** @module-tag slow */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { listOutput, verifyOutput } from '../../snapshots/audit/output.ts';
import { documentPath, historiesPrefix, snapshotPrefix } from '../../snapshots/layout.ts';
import { generateKeyPair } from '../../snapshots/signing.ts';
import { partOfDay } from '../../snapshots/verify/documents.ts';
import { runForBytes } from '../support/command-line.ts';
import { temporaryFolders } from '../support/folder.ts';
import { describeEachS3 } from '../support/s3-server.ts';
import { brandIds, copyStore, workspaceIds } from './history.ts';
import { smallContent } from './log/places.ts';
import { publishHistory, publishSnapshot, publishWeek, testLog } from './publish.ts';
import type { TestLog } from './publish.ts';

const [workspaceId, otherId] = workspaceIds;
const newFolder = temporaryFolders();

let root: string;
let log: TestLog;
let ids: string[];
beforeAll(async () => {
  root = await newFolder();
  log = await testLog(root);
  ids = await publishHistory(log);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
  await writeFile(join(root, 'rsa.pem'), rsa.export({ type: 'spki', format: 'pem' }));
  await writeFile(join(root, 'text.pem'), 'hello');
});

/** Runs a command of the auditor in a folder, by default that of the log. */
async function audit(line: string, folder = root, settings: Record<string, string> = {}) {
  const own = { PUBLIC_KEY_FILE: log.keys.publicKey, STORE_URL: 'store' };
  const ended = await runForBytes('audit', line.split(' '), { folder, settings: { ...own, ...settings } });
  const output = ended.stdout.toString();
  const json = () => JSON.parse(output) as unknown;
  return { status: ended.status, bytes: ended.stdout, output, complaint: ended.stderr.toString(), json };
}

/** A folder with a copy of store and lake. */
async function copied(): Promise<string> {
  const folder = await newFolder();
  for (const name of ['store', 'lake']) await copyStore(join(root, name), join(folder, name));
  return folder;
}

/** A copy of store and lake in which one more week was published. */
async function later(workspace: string): Promise<string> {
  const folder = await copied();
  await publishWeek(await testLog(folder, { keys: log.keys }), workspace, '2026-11-23');
  return folder;
}

/** Puts the first store back in a folder. */
async function setBack(folder: string): Promise<void> {
  await rm(join(folder, 'store'), { recursive: true });
  await copyStore(join(root, 'store'), join(folder, 'store'));
}

const documentIn = (week: number, path: string) =>
  join('store', snapshotPrefix(workspaceId, ids[week]!), path);

const OF_ONE = `--workspace ${workspaceId}`;

test.each<[string, number, RegExp, Record<string, string>?]>([
  ['list --store no', 1, /^sightline: store .*no does not exist; the weekly job creates it\n$/],
  [`show 2026-01-01 ${OF_ONE}`, 1, /has no snapshot 2026-01-01/],
  ['show --document brands', 1, /name one of the 2 workspaces with --workspace/],
  [
    `show --document sources ${OF_ONE}`,
    1,
    /name one of the 2 brands with --brand: First \(1{8}-.*\), Second \(/,
  ],
  [`show --document sources --brand Third ${OF_ONE}`, 1, /no brand of the snapshot matches Third: First/],
  ['verify --store nowhere', 3, /^[^\n]*nowhere does not exist[^\n]*\n$/],
  ['verify --public-key no.pem', 3, /no\.pem cannot be read: ENOENT/],
  ['verify --public-key text.pem', 3, /^[^\n]*text\.pem has no public key in PEM\n$/],
  ['verify --public-key rsa.pem', 3, /^[^\n]*is not an Ed25519 public key in PEM\n$/],
  ['verify --public-key own.private.pem', 3, /^[^\n]*contains something other than public keys\n$/],
  ['verify', 3, /PUBLIC_KEY and PUBLIC_KEY_FILE are both set/, { PUBLIC_KEY: 'x' }],
  ['verify --checkpoint no.note', 3, /no\.note cannot be read/],
  ['verify --read-data-subset 5/4', 2, /expected I\/N/],
  ['verify --state .kept', 3, /--state .kept.* must not begin with a dot/],
  ['verify --state s3://bucket', 3, /is neither a file nor s3:\/\/bucket\/key/],
  ['prune --keep 2026-02-30', 2, /expected a number from 1 up, or a date/],
  ['prune --keep 1', 2, /^sightline: SIGNING_KEY_FILE is not set, /],
  ['prune --keep 1', 1, /text\.pem is not an Ed25519 private key/, { SIGNING_KEY_FILE: 'text.pem' }],
  ['withdraw current --reason mistaken', 2, /--workspace is needed/],
  [`withdraw current --reason removed ${OF_ONE}`, 2, /removed as a whole/],
  [`withdraw --all-lost --reason mistaken ${OF_ONE}`, 2, /name one snapshot/],
])('%s has status %d and says why', async (line, wanted, message, settings) => {
  const given = { LAKE_URL: 'lake', LOG_ORIGIN: log.origin, ...settings };
  const { status, output, complaint } = await audit(line, root, given);
  expect([status, output, complaint]).toEqual([wanted, '', expect.stringMatching(message)]);
  expect(await readdir(root)).not.toContain('.data');
});

test('list shows every snapshot, newest first; a history that cannot be read hides no other, and has status 1', async () => {
  const whole = await audit('list --json');
  const snapshot = { workspaceId, snapshotId: ids[3], isCurrent: true, brands: 2, documents: 17 };
  expect([whole.status, whole.json()]).toMatchObject([
    0,
    { snapshots: { 0: snapshot, length: 8 }, broken: [] },
  ]);
  const folder = await copied();
  await rm(join(folder, 'store', historiesPrefix(workspaceId)), { recursive: true });
  const { status, json } = await audit('list --json', folder);
  const reason = expect.stringMatching(/histories.* is missing/) as string;
  expect([status, json()]).toMatchObject([
    1,
    { snapshots: { length: 4 }, broken: [{ workspaceId, reason }] },
  ]);
});

test.each<[string, z.ZodType]>([
  ['list', listOutput],
  ['verify', verifyOutput],
])('%s --json prints what docs/schemas describes', async (line, schema) => {
  const { json } = await audit(`${line} --json`);
  expect(schema.safeParse(json()).error?.issues).toBeUndefined();
});

test.each<[string, number, string]>([
  ['current --document brands', 3, 'brands.json'],
  ['previous --document brands', 2, 'brands.json'],
  ['2026-11-04 --document brands', 1, 'brands.json'],
  ['20261026 --document brands', 0, 'brands.json'],
  ['--as-of 2026-11-08 --document week', 1, 'week.json'],
  ['--table visibility', 3, 'tables/visibility.json'],
  ['--document sources --brand Second', 3, documentPath(brandIds[1], 'sources')],
  [`--document sources --brand ${brandIds[0].toUpperCase()}`, 3, documentPath(brandIds[0], 'sources')],
])('show %s gives the bytes of that week and nothing else', async (words, week, path) => {
  const { status, bytes } = await audit(`show ${words} ${OF_ONE}`);
  expect([status, bytes]).toEqual([0, await readFile(join(root, documentIn(week, path)))]);
});

test('show of a document that was altered gives no byte of it', async () => {
  const folder = await copied();
  const path = join(folder, documentIn(3, 'brands.json'));
  await writeFile(path, (await readFile(path, 'utf8')).replace('2026', '2062'));
  const { status, output, complaint } = await audit(`show --document brands ${OF_ONE}`, folder);
  expect([status, output]).toEqual([1, '']);
  expect(complaint).toMatch(/brands\.json/);
});

describe('verify', () => {
  test('takes several public keys, in a file or as a text, also on one line', async () => {
    const { publicPem } = generateKeyPair();
    const pem = `the old one:\n${publicPem}\nthe new one:\n${await readFile(log.keys.publicKey, 'utf8')}`;
    await writeFile(join(root, 'both.pem'), pem);
    for (const given of [
      { PUBLIC_KEY_FILE: 'both.pem' },
      { PUBLIC_KEY_FILE: '', PUBLIC_KEY: pem },
      { PUBLIC_KEY_FILE: '', PUBLIC_KEY: pem.replaceAll('\n', String.raw`\n`) },
    ])
      expect(await audit('verify --state none', root, given)).toMatchObject({ status: 0 });
  });

  test('of a file name that moves the cursor of the terminal prints no control characters', async () => {
    const folder = await copied();
    await writeFile(join(folder, 'store', 'x\u001b[2J\u001b[1;1HIntact.\n\u202e'), '');
    const { status, output } = await audit('verify', folder);
    expect([status, output]).toEqual([1, expect.stringContaining('x [2J [1;1HIntact.')]);
    expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  test('selects another part of the documents each day, and all of them within N days', () => {
    const noon = Date.parse('2026-11-16T12:00:00Z');
    const parts = Array.from({ length: 30 }, (_, day) => partOfDay(noon + day * 86_400_000, 30));
    expect(parts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test.each<[string, number, string]>([
    ['--checkpoint FIRST --store later', 0, '\nIntact.\n'],
    ['--checkpoint later/log/checkpoint', 1, '\nlog_rewritten: '],
    ['--not-older-than 9999d', 0, '\nIntact.\n'],
    ['--not-older-than 1d', 1, '\nlog_old: '],
    ['--store empty', 1, '\nno_snapshots: '],
    ['--store empty --allow-empty', 0, '\nIntact.\n'],
    [
      '--read-data-subset 2/3',
      0,
      '\nIntact, as far as was read: part 2 of 3 of the documents of older snapshots, and all else.\n',
    ],
  ])('%s has status %d', async (line, wanted, text) => {
    const folder = await copied();
    await mkdir(join(folder, 'empty'));
    await copyStore(join(await later(workspaceId), 'store'), join(folder, 'later'));
    const words = line.replace('FIRST', 'store/log/checkpoint');
    const { status, output } = await audit(`verify --state none ${words}`, folder);
    expect([status, output]).toEqual([wanted, expect.stringContaining(text)]);
  });

  test('of what a newer version wrote gives no verdict, and moves no state', async () => {
    const folder = await copied();
    const own = await testLog(folder, { keys: log.keys });
    const forecast = { path: 'forecast.json', bytes: Buffer.from('{"data":[]}') };
    const content = smallContent(0, 1);
    await publishSnapshot(own, { ...content, documents: [...content.documents, forecast] });
    const { status, output } = await audit('verify --state n.note --metrics-file n.prom', folder);
    expect([status, output]).toEqual([3, expect.stringContaining('\nNo verdict: ')]);
    expect((await readdir(folder)).filter((name) => name.startsWith('n.'))).toEqual([]);
  });

  test('of a part is intact as far as it was read, and neither moves the state nor writes metrics', async () => {
    const { status, output } = await audit(`verify ${OF_ONE} --state part.note --metrics-file part.prom`);
    expect(status).toBe(0);
    expect(output).toContain(`\nIntact, as far as was read: workspace ${workspaceId}.\n`);
    expect(await readdir(root)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^part/)]));
  });
});

describe('the state', () => {
  test('of --state is the newest checkpoint that was verified; no fork and no older state is accepted', async () => {
    const [branch, fork] = [await later(workspaceId), await later(otherId)];
    const line = `verify --state ${join(root, 'kept.note')}`;
    for (const folder of [root, branch]) expect(await audit(line, folder)).toMatchObject({ status: 0 });
    const newer = await readFile(join(root, 'kept.note'));
    expect(newer).toEqual(await readFile(join(branch, 'store/log/checkpoint')));
    for (const folder of [fork, root]) {
      const { status, output } = await audit(line, folder);
      expect([status, output]).toEqual([1, expect.stringContaining('log_rewritten')]);
    }
    expect(await readFile(join(root, 'kept.note'))).toEqual(newer);
  });

  test('is kept for each store by every command, refuses an older one, and keeps both checkpoints', async () => {
    const folder = await later(workspaceId);
    const home = { HOME: folder, XDG_STATE_HOME: '' };
    expect(await audit('list', folder, home)).toMatchObject({ status: 0 });
    const kept = await readdir(join(folder, '.local/state/sightline/logs'));
    expect(kept).toContainEqual(expect.stringMatching(/\.checkpoint$/));
    await setBack(folder);
    for (const line of ['show --document brands', 'diff', 'log prove current --out proof'].map(
      (words) => `${words} ${OF_ONE}`,
    ))
      expect([line, await audit(line, folder, home)]).toMatchObject([line, { status: 1, output: '' }]);
    const { status, complaint } = await audit('list', folder, home);
    expect([status, complaint]).toEqual([1, expect.stringMatching(/an older state was put back/)]);
    expect(complaint).toMatch(/both checkpoints are kept: \S+\.checkpoint, and next to it \S+\.refused-/);
    expect(await audit('list --state none', folder, home)).toMatchObject({ status: 0 });
    const verdict = await audit('verify', folder, home);
    expect([verdict.status, verdict.output]).toEqual([1, expect.stringContaining('log_rewritten')]);
  });

  describeEachS3('may be in a bucket', (bucket) => {
    test('where verify replaces it', async () => {
      const line = `verify --state ${bucket().location('audit/verify.json').url}`;
      const began = await audit(line, root, bucket().environment);
      expect([began.status, began.complaint]).toEqual([0, expect.stringContaining('verify.json is new: ')]);
      const folder = await later(workspaceId);
      expect(await audit(line, folder, bucket().environment)).toMatchObject({ status: 0, complaint: '' });
      const kept = await bucket().store().get('audit/verify.json');
      expect(kept!.bytes).toEqual(await readFile(join(folder, 'store/log/checkpoint')));
    });
  });
});

test('keygen writes a key pair with a private key that only its owner can read, and never overwrites one', async () => {
  const { status, json } = await audit('keygen --out keys/made --json');
  const file = join(root, (json() as { privateKey: string }).privateKey);
  expect([status, (await stat(file)).mode & 0o777]).toEqual([0, 0o600]);
  const before = await readFile(file);
  const again = await audit('keygen --out keys/made');
  expect([again.status, again.complaint]).toEqual([1, expect.stringContaining('it exists already')]);
  expect(await readFile(file)).toEqual(before);
});

test('prune without --yes only says what it would remove, and leaves out what does not verify; withdraw prints what it withdraws', async () => {
  const folder = await copied();
  const settings = { LAKE_URL: 'lake', LOG_ORIGIN: log.origin, SIGNING_KEY_FILE: log.keys.privateKey };
  const run = async (line: string) => await audit(line, folder, settings);
  const files = async () => await readdir(join(folder, 'store'), { recursive: true });
  const whole = await files();
  const dry = await run('prune --keep 1');
  expect([dry.status, dry.output]).toEqual([
    0,
    expect.stringMatching(/\nWould remove 6 snapshots, \d+ bytes\. To do it, add --yes\.\n$/),
  ]);
  expect(await files()).toEqual(whole);
  await writeFile(join(folder, documentIn(1, 'brands.json')), 'altered');
  const ofOther = await run('prune --keep 3 --yes');
  expect(ofOther).toMatchObject({
    status: 1,
    output: expect.stringMatching(/\nRemoved 1 snapshots?, /) as string,
  });
  const { status, output, complaint } = await run('prune --keep 1 --yes');
  expect([status, output]).toEqual([1, expect.stringMatching(/\nRemoved 2 snapshots, \d+ bytes\.\n$/)]);
  const reason = 'was not pruned: it does not verify: ';
  expect(complaint).toContain(`sightline: workspace ${workspaceId} ${reason}`);
  const lost = await run(`withdraw --all-lost --reason lost ${OF_ONE}`);
  expect(lost).toMatchObject({ status: 0, output: `${ids[1]}: withdrawn, lost\n` });
  const removed = await run(`withdraw --all --reason removed --workspace ${otherId} --json`);
  expect(removed.json()).toMatchObject({ workspaceId: otherId, snapshotIds: { length: 4 } });
  expect(await run('verify')).toMatchObject({ status: 0 });
});
