/** @module-tag slow */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../lib/hash.ts';
import { filesBelow } from '../jobs/lake.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import { programEnvironment } from '../support/environment.ts';
import { temporaryFolders } from '../support/folder.ts';
import { runHere } from '../support/command-line.ts';
import { copyOf, doctor, install, run } from './installation.ts';
import type { Installation } from './installation.ts';

const newFolder = temporaryFolders();

let sound: Installation;
/** A store that was published now, from data of January, its lake, and a lake that got newer data afterwards. */
let stale: { store: string; lake: string; late: string };
beforeAll(async () => {
  sound = await install(await newFolder());
  const folder = await newFolder();
  stale = { store: `${folder}/store`, lake: `${folder}/lake`, late: `${folder}/late` };
  const sizes = '--workspaces 2 --brands 2 --prompts 1 --cycles 2';
  await run(sound, `job demo --to ${folder}/drop ${sizes} --as-of 2026-01-05T06:00:00Z`);
  await run(sound, `job ingest --new-lake --from ${folder}/drop --lake ${stale.lake}`);
  await run(sound, `job weekly --lake ${stale.lake} --store ${stale.store}`);
  await run(sound, `job ingest --new-lake --from ${sound.folder}/drop --lake ${stale.late}`);
});

async function contents(folder: string): Promise<Record<string, string>> {
  const files = await filesBelow(folder);
  const read = files.map(async (file) => [relative(folder, file), sha256(await readFile(file))]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

test('of a sound installation the doctor prints a table without problems, and changes no file', async () => {
  const before = await contents(sound.folder);
  const ended = await runHere('doctor', [], { settings: sound.settings });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^subject +state +found\nversion +✓ ok +sightline \d/);
  expect(ended.stdout).not.toContain('What to do');
  expect(ended.stdout).toMatch(/\n0 failed, 0 warnings, 28 ok\n$/);
  expect(await contents(sound.folder)).toEqual(before);
});

test('remedies are below the table, and a failure is exit status 1', async () => {
  const settings = { ...sound.settings, STORE_URL: `${sound.folder}/no` };
  const ended = await runHere('doctor', [], { settings });
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

/** Changes a copy of the installation; returned settings replace others. */
type Harm = (copy: Installation) => Promise<Record<string, string> | void>;

/** The first file of a copy whose path has this part. */
const fileOf = async ({ folder }: Installation, part: string) =>
  (await filesBelow(folder)).find((file) => file.includes(part))!;

const sql =
  (text: string): Harm =>
  async ({ folder }) => {
    const database = new DatabaseSync(join(folder, 'records.db'));
    database.exec(text);
    database.close();
  };

const remove =
  (part: string): Harm =>
  async (copy) =>
    await rm(await fileOf(copy, part));

const empty =
  (name: string): Harm =>
  async ({ folder }) => {
    await rm(join(folder, name), { recursive: true });
    await mkdir(join(folder, name));
  };

const mode =
  (bits: number): Harm =>
  async ({ settings }) =>
    await chmod(settings['SIGNING_KEY_FILE']!, bits);

const inPlaceOf =
  (setting: string, name: string): Harm =>
  async ({ folder }) => ({ [setting]: join(folder, name) });

/** A store with a week that is this much away from now. */
const publishAt =
  (days: number): Harm =>
  async (copy) => {
    const asOf = new Date(Date.now() + days * 86_400_000).toISOString();
    const others = { STORE_URL: join(copy.folder, 'other'), LOG_ORIGIN: 'other.example/log' };
    await run({ ...copy, settings: { ...copy.settings, ...others } }, `job weekly --as-of ${asOf}`);
    return others;
  };

/** The doctor finds these failures and warnings, the first one with this text, and nothing else. */
const harms: [what: string, complaint: string, found: string | RegExp, harm: Harm][] = [
  ['a setting that does not parse', 'failure settings', 'PORT', async () => ({ PORT: 'eighty' })],
  ['newer records', 'failure records: schema', /^version 999, this/, sql('pragma user_version = 999')],
  ['no records', 'warning records: schema', 'no records yet', remove('/records.db')],
  [
    'another file in the place of the records',
    'failure records',
    'file is not a database',
    async ({ folder }) =>
      await writeFile(join(folder, 'records.db'), 'a note that is long enough to be none'.repeat(9)),
  ],
  [
    'the lack of active keys',
    'warning records: workspaces',
    '0 active keys',
    sql('update keys set revoked_at = 1'),
  ],
  ['no store', 'failure store', 'does not exist', inPlaceOf('STORE_URL', 'nothing')],
  ['a lost store', 'failure log', /remembers one of 2 entries: the store was lost$/, empty('store')],
  [
    'an older copy of the store',
    'failure log',
    /remembers 4: the store is behind its lake$/,
    async (copy) => {
      const checkpoint = await fileOf(copy, '/log/checkpoint');
      const before = await readFile(checkpoint);
      await run(copy, 'job weekly');
      await writeFile(checkpoint, before);
    },
  ],
  [
    'another log',
    'failure log',
    /and LOG_ORIGIN is other\.example\/log$/,
    async () => ({ LOG_ORIGIN: 'other.example/log' }),
  ],
  [
    'a lake that does not know the log',
    'failure log',
    /does not remember it$/,
    async (copy) => {
      const LAKE_URL = join(copy.folder, 'new-lake');
      await run(copy, `job ingest --new-lake --lake ${LAKE_URL}`);
      return { LAKE_URL };
    },
  ],
  ['a missing manifest', 'failure snapshots', 'manifest.json is missing', remove('.manifest.json')],
  ['a lake in the place of the store', 'failure log', 'it is a lake', inPlaceOf('STORE_URL', 'lake')],
  ['an old week', 'warning snapshots: age', '14.0 days ago; 1 of 1 workspaces', publishAt(-14)],
  ['a future week', 'failure snapshots: age', /^1 of 1 workspaces .* from the future/, publishAt(8)],
  ['a private key for all users', 'failure signing key', 'mode 0644', mode(0o644)],
  ['a private key for a group', 'warning signing key', 'mode 0640', mode(0o640)],
  [
    'another signing key',
    'failure signing key: log, failure public keys: pair',
    'is signed with another key',
    async ({ folder }) => {
      const other = await makeTestKeys(folder, 'other');
      await chmod(other.privateKey, 0o600);
      return { SIGNING_KEY_FILE: other.privateKey };
    },
  ],
  ['a lost lake', 'failure lake', /^there is no lake at \S+lake, and \S+store has a log$/, empty('lake')],
  ['a store in the place of the lake', 'failure lake', 'it is a store', inPlaceOf('LAKE_URL', 'store')],
  [
    'that nothing new is delivered',
    'warning lake: newest cycle',
    /^2026-01-05, more than 10/,
    async () => ({ LAKE_URL: stale.lake }),
  ],
  [
    'a week without any data',
    'warning lake: published week',
    /^nothing was delivered for 2 of 2 workspaces, /,
    async () => ({ STORE_URL: stale.store }),
  ],
  [
    'data that came too late',
    'warning lake: published week',
    /^delivered after the week was published: /,
    async () => ({ STORE_URL: stale.store, LAKE_URL: stale.late }),
  ],
  [
    'a missing delivery',
    'failure lake: ledger',
    'delivery 1 is missing',
    async (copy) => {
      await run(copy, `job ingest --from ${copy.folder}/drop --date 2026-01-02`);
      await rm(await fileOf(copy, '/deliveries/'));
    },
  ],
  ['a missing object', 'failure lake: objects', /^runs\/.* is missing$/, remove('/lake/runs/')],
  [
    'an object that was cut off',
    'failure lake: objects',
    'has 10 bytes instead of',
    async (copy) => await truncate(await fileOf(copy, '/tracking/'), 10),
  ],
];

/** The part that must find the harm; the other parts would only take time. */
const partOf = (complaint: string) => /records|lake/.exec(complaint)?.[0] ?? 'store';

test.each(harms)('%s is found, and nothing else', async (_what, complaint, found, harm) => {
  const copy = await copyOf(sound);
  const others = await harm(copy);
  const examined = await doctor({ ...copy.settings, ...others }, '--only', partOf(complaint));
  expect(examined.complaints.join(', ')).toBe(complaint);
  expect(examined.status).toBe(complaint.startsWith('failure') ? 1 : 0);
  const [first] = complaint.split(', ');
  const finding = examined.findings.find(({ subject, state }) => `${state} ${subject}` === first);
  expect(finding!.found).toMatch(found);
});

test('records that this user cannot write are a warning', async () => {
  const { folder, settings } = await copyOf(sound);
  await chmod(join(folder, 'records.db'), 0o444);
  // Root may write everything.
  const asOwner = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const [program, ...args] = [
    ...asOwner,
    process.execPath,
    'infra/doctor/cli.ts',
    '--only',
    'records',
    '--json',
  ];
  const env = { ...programEnvironment(), ...settings };
  const { stdout } = await promisify(execFile)(program, args, { env });
  const found = expect.stringMatching(/records\.db cannot be written by this user: /) as string;
  expect((JSON.parse(stdout) as { findings: object[] }).findings).toContainEqual(
    expect.objectContaining({ subject: 'records: writable', state: 'warning', found }),
  );
});
