/** @module-tag long */
import { chmod, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Part } from '../../infra/doctor/parts.ts';
import { sha256 } from '../../lib/hash.ts';
import { filesBelow } from '../jobs/lake.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import { runHere } from '../support/command-line.ts';
import { temporaryFolders } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';
import { copyOf, doctor, install } from './installation.ts';
import type { Installation } from './installation.ts';

const newFolder = temporaryFolders();

let sound: Installation;
beforeAll(async () => {
  sound = await install(await newFolder());
});

async function contents(folder: string): Promise<Record<string, string>> {
  const files = await filesBelow(folder);
  const read = files.map(async (file) => [relative(folder, file), sha256(await readFile(file))]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

describe('of a sound installation, the doctor', () => {
  test('prints a table without problems, and changes no file', async () => {
    const before = await contents(sound.folder);
    const ended = await runProgram('infra/doctor/cli.ts', [], sound.settings);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^subject +state +found\nversion +✓ ok +sightline \d/);
    const given = 'STORE_URL, LAKE_URL, RECORDS_URL, SIGNING_KEY_FILE, PUBLIC_KEY_FILE';
    expect(ended.stdout).toContain(`given: ${given}`);
    expect(ended.stdout).not.toContain('What to do');
    expect(ended.stdout).toMatch(/\n0 failed, 0 warnings, 28 ok\n$/);
    expect(await contents(sound.folder)).toEqual(before);
  });

  test('checks only the selected parts', async () => {
    const { findings } = await doctor(sound.settings, '--only', 'lake', 'records');
    const subjects = findings.map(({ subject }) => subject.split(':')[0]);
    expect([...new Set(subjects)]).toEqual(['version', 'node', 'settings', 'records', 'lake', 'scratch']);
  });
});

test('remedies are below the table, and a failure is exit status 1', async () => {
  const settings = { ...sound.settings, STORE_URL: `${sound.folder}/no` };
  const ended = await runProgram('infra/doctor/cli.ts', [], settings);
  expect(ended.status).toBe(1);
  const remedy = /\nWhat to do:\n {2}store: correct STORE_URL; a store that was lost is restored .*\n/;
  expect(ended.stdout).toMatch(remedy);
});

test('pages and headings that the doctor names exist', async () => {
  const sources = (await filesBelow('infra/doctor')).map(async (file) => await readFile(file, 'utf8'));
  const references = (await Promise.all(sources)).flatMap((text) => [
    ...text.matchAll(/\((docs\/[\w/-]+\.md), ([^)]+)\)/g),
  ]);
  expect(references.length).toBeGreaterThan(2);
  for (const [, page, heading] of references)
    expect(await readFile(page!, 'utf8')).toMatch(new RegExp(`^#+ ${heading}$`, 'm'));
});

/** The part that must find the harm; the other parts would only take time. */
function partOf(complaint: string): Part {
  if (complaint.includes(' records')) return 'records';
  return complaint.includes(' lake') ? 'lake' : 'store';
}

/** Changes a copy of the installation; returned settings replace others. */
type Harm = (copy: Installation) => Promise<Record<string, string> | void>;

/** The doctor finds these failures and warnings, the first one with this text, and nothing else. */
function finds(what: string, complaints: string | string[], found: string | RegExp, harm: Harm): void {
  test(`${what} is found, and nothing else`, async () => {
    const expected = [complaints].flat();
    const copy = await copyOf(sound);
    const others = await harm(copy);
    const examined = await doctor({ ...copy.settings, ...others }, '--only', partOf(expected[0]!));
    expect(examined.complaints).toEqual(expected);
    expect(examined.status).toBe(expected[0]!.startsWith('failure') ? 1 : 0);
    const first = examined.findings.find(({ subject, state }) => `${state} ${subject}` === expected[0]);
    expect(first!.found).toMatch(found);
  });
}

/** The first file of a copy whose path has this part. */
const fileOf = async ({ folder }: Installation, part: string) =>
  (await filesBelow(folder)).find((file) => file.includes(part))!;

function sql({ folder }: Installation, text: string): void {
  const database = new DatabaseSync(join(folder, 'records.db'));
  database.exec(text);
  database.close();
}

/** Replaces a folder by an empty one. */
async function empty(folder: string): Promise<void> {
  await rm(folder, { recursive: true });
  await mkdir(folder);
}

/** A store that was published now, from data of January, and a lake that the same data is delivered to afterwards. */
async function publishStale({ folder, settings }: Installation) {
  const [drop, before, after, store] = ['stale', 'empty-lake', 'late-lake', 'stale-store'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const sizes = ['--workspaces', '2', '--brands', '2', '--prompts', '1', '--cycles', '2'];
  const fill = async (from: string, lake: string) =>
    await runHere('job', ['ingest', '--new-lake', '--from', from, '--lake', lake], { settings });
  await runHere('job', ['demo', '--to', drop, ...sizes, '--as-of', '2026-01-05T06:00:00Z'], { settings });
  await fill(drop, before);
  await runHere('job', ['weekly', '--lake', before, '--store', store], { settings });
  await fill(join(folder, 'drop'), after);
  return { store, stale: before, late: after };
}

/** A store with a week that is this much away from now. */
async function publishAt({ folder, settings }: Installation, days: number) {
  const asOf = new Date(Date.now() + days * 86_400_000).toISOString();
  const others = { STORE_URL: join(folder, 'other'), LOG_ORIGIN: 'other.example/log' };
  await runHere('job', ['weekly', '--as-of', asOf], { settings: { ...settings, ...others } });
  return others;
}

finds('a setting that does not parse', 'failure settings', 'PORT', async () => ({ PORT: 'eighty' }));

describe('of the records', () => {
  finds('a newer version', 'failure records: schema', /^version 999, this version reads and/, async (copy) =>
    sql(copy, 'pragma user_version = 999'),
  );
  finds(
    'their absence',
    'warning records: schema',
    'no records yet',
    async ({ folder }) => await rm(join(folder, 'records.db')),
  );
  finds(
    'another kind of file',
    'failure records',
    'file is not a database',
    async ({ folder }) =>
      await writeFile(join(folder, 'records.db'), 'a note that is long enough to be none'.repeat(9)),
  );
  finds('the lack of active keys', 'warning records: workspaces', '0 active keys', async (copy) =>
    sql(copy, 'update keys set revoked_at = 1'),
  );
});

describe('of the store', () => {
  finds(
    'its absence',
    'failure store',
    'does not exist',
    async ({ folder }) => await rm(join(folder, 'store'), { recursive: true }),
  );
  finds(
    'its loss',
    'failure log',
    /remembers one of 3 entries: the store was lost$/,
    async ({ folder }) => await empty(join(folder, 'store')),
  );
  finds('an older copy', 'failure log', /remembers 6: the store is behind its lake$/, async (copy) => {
    const checkpoint = await fileOf(copy, '/log/checkpoint');
    const before = await readFile(checkpoint);
    await runHere('job', ['weekly'], { settings: copy.settings });
    await writeFile(checkpoint, before);
  });
  finds('another log', 'failure log', /and LOG_ORIGIN is other\.example\/log$/, async () => ({
    LOG_ORIGIN: 'other.example/log',
  }));
  finds('a lake that does not know its log', 'failure log', /does not remember it$/, async (copy) => {
    const LAKE_URL = join(copy.folder, 'new-lake');
    await runHere('job', ['ingest', '--new-lake', '--lake', LAKE_URL], { settings: copy.settings });
    return { LAKE_URL };
  });
  finds(
    'a missing manifest',
    'failure snapshots',
    'manifest.json is missing',
    async (copy) => await rm(await fileOf(copy, '.manifest.json')),
  );
  finds('a lake in its place', 'failure log', 'it is a lake', async ({ folder }) => ({
    STORE_URL: join(folder, 'lake'),
  }));
  finds(
    'an old week',
    'warning snapshots: age',
    '14.0 days ago; 2 of 2 workspaces',
    async (copy) => await publishAt(copy, -14),
  );
  finds(
    'a future week',
    'failure snapshots: age',
    /^2 of 2 workspaces have a snapshot from the future/,
    async (copy) => await publishAt(copy, 8),
  );
  finds(
    'a private key for all users',
    'failure signing key',
    'mode 0644',
    async ({ settings }) => await chmod(settings['SIGNING_KEY_FILE']!, 0o644),
  );
  finds(
    'a private key for a group',
    'warning signing key',
    'mode 0640',
    async ({ settings }) => await chmod(settings['SIGNING_KEY_FILE']!, 0o640),
  );
  const pair = ['failure signing key: log', 'failure public keys: pair'];
  finds('another signing key', pair, 'is signed with another key', async ({ folder }) => {
    const other = await makeTestKeys(folder, 'other');
    await chmod(other.privateKey, 0o600);
    return { SIGNING_KEY_FILE: other.privateKey };
  });
});

describe('of the lake', () => {
  finds(
    'its loss',
    'failure lake',
    /^there is no lake at \S+lake, and \S+store has a log$/,
    async ({ folder }) => await empty(join(folder, 'lake')),
  );
  finds(
    'a missing mark',
    'failure lake',
    /^there is no lake at \S+lake, but other files$/,
    async ({ folder }) => {
      await rm(join(folder, 'lake/lake.txt'));
      return { STORE_URL: join(folder, 'no-store') };
    },
  );
  finds('a store in its place', 'failure lake', 'it is a store', async ({ folder }) => ({
    LAKE_URL: join(folder, 'store'),
  }));
  finds(
    'that nothing new is delivered',
    'warning lake: newest cycle',
    /^2026-01-05, more than 10/,
    async (copy) => {
      const { stale } = await publishStale(copy);
      return { LAKE_URL: stale };
    },
  );
  const week = 'warning lake: published week';
  finds('a week without any data', week, /^nothing was delivered for 2 of 2 workspaces, /, async (copy) => ({
    STORE_URL: (await publishStale(copy)).store,
  }));
  finds('data that came too late', week, /^delivered after the week was published: /, async (copy) => {
    const { store, late } = await publishStale(copy);
    return { STORE_URL: store, LAKE_URL: late };
  });
  finds('a missing delivery', 'failure lake: ledger', 'delivery 1 is missing', async (copy) => {
    const second = ['ingest', '--from', join(copy.folder, 'drop'), '--date', '2026-01-02'];
    await runHere('job', second, { settings: copy.settings });
    await rm(await fileOf(copy, '/deliveries/'));
  });
  finds(
    'a missing object',
    'failure lake: objects',
    /^runs\/.* is missing$/,
    async (copy) => await rm(await fileOf(copy, '/runs/')),
  );
  finds(
    'an object that was cut off',
    'failure lake: objects',
    'has 10 bytes instead of',
    async (copy) => await truncate(await fileOf(copy, '/tracking/'), 10),
  );
});
