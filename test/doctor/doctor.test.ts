/** @module-tag slow */
import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../lib/hash.ts';
import { filesBelow } from '../jobs/lake.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import { programEnvironment } from '../support/environment.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { startServer } from '../support/http-server.ts';
import { startSmallS3 } from '../support/small-s3.ts';
import { stableText, transcriptOf } from '../support/transcript.ts';
import { copyOf, install, run } from './installation.ts';
import type { Installation } from './installation.ts';

const newFolder = temporaryFolders();
const golden = (name: string) => join(import.meta.dirname, `golden/${name}.txt`);

let sound: Installation;
/** A copy of it that has published once more. */
let newer: Installation;
/** A store that was published now, from data of January, its lake, and a lake that got newer data afterwards. */
let stale: { store: string; lake: string; late: string };
beforeAll(async () => {
  sound = await install(await newFolder());
  newer = await copyOf(sound, await newFolder());
  await run(newer, 'job weekly');
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
  const lines = ['', ' --json --only records', ' --help', ' --only nothing'].map((args) => `$ doctor${args}`);
  await expect(await transcriptOf(lines, sound)).toMatchFileSnapshot(golden('sound'));
  expect(await contents(sound.folder)).toEqual(before);
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

/** The files of a copy whose paths have this part. */
const filesOf = async ({ folder }: Installation, part: string) =>
  (await filesBelow(folder)).filter((file) => file.includes(part));
const fileOf = async (copy: Installation, part: string) => (await filesOf(copy, part))[0]!;

const sql =
  (text: string): Harm =>
  async ({ folder }) => {
    const database = new DatabaseSync(join(folder, 'records.db'));
    database.exec(text);
    database.close();
  };

const remove =
  (part: string): Harm =>
  async (copy) => {
    for (const file of await filesOf(copy, part)) await rm(file);
  };

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

/** A lake without deliveries. */
const newLake: Harm = async (copy) => {
  const LAKE_URL = join(copy.folder, 'new-lake');
  await run(copy, `job ingest --new-lake --lake ${LAKE_URL}`);
  return { LAKE_URL };
};

const inS3 = (endpoint: string, bucket = 'bucket') => ({
  STORE_URL: `s3://${bucket}/store`,
  LOG_ORIGIN: 'sightline.example/log',
  S3_ENDPOINT: endpoint,
  S3_FORCE_PATH_STYLE: 'true',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'hunter2',
  AWS_MAX_ATTEMPTS: '1',
});

/** An S3 server that lists nothing, with this status and a clock that is this much ahead, or none. */
const answering =
  (secondsAhead: number | null, status = 200): Harm =>
  async () => {
    const server = await startServer((_, response) => {
      response.sendDate = false;
      if (secondsAhead !== null)
        response.setHeader('Date', new Date(Date.now() + secondsAhead * 1000).toUTCString());
      response.writeHead(status).end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
    });
    return inS3(server);
  };

/** The part that finds the harm; the other parts would only take time. */
const harms: Record<string, Record<string, Harm>> = {
  machine: { 'a setting that does not parse': async () => ({ PORT: 'eighty' }) },
  records: {
    'newer records': sql('pragma user_version = 999'),
    'no records': remove('/records.db'),
    'another file in the place of the records': async ({ folder }) =>
      await writeFile(join(folder, 'records.db'), 'a note that is long enough to be none'.repeat(9)),
    'no active keys': sql('update keys set revoked_at = 1'),
    'no plan with the API': sql("update workspaces set plan = 'starter'"),
    'a server that is away': async () => ({ RECORDS_URL: 'postgres://u:hunter2@127.0.0.1:1/x' }),
  },
  store: {
    'no store': inPlaceOf('STORE_URL', 'nothing'),
    'a file in the place of the store': inPlaceOf('STORE_URL', 'records.db'),
    'a store on an installed machine': inPlaceOf('SETTINGS_FOLDER', 'etc'),
    'a lost store': empty('store'),
    'a lost checkpoint': remove('/log/checkpoint'),
    'an older copy of the store': async (copy) => {
      const store = join(copy.folder, 'newer');
      await cp(newer.settings['STORE_URL']!, store, { recursive: true });
      await copyFile(await fileOf(copy, '/store/log/checkpoint'), join(store, 'log/checkpoint'));
      return { STORE_URL: store, LAKE_URL: newer.settings['LAKE_URL']! };
    },
    'an older copy of the lake': async () => ({ STORE_URL: newer.settings['STORE_URL']! }),
    'another log': async () => ({ LOG_ORIGIN: 'other.example/log' }),
    'a lake that does not know the log': newLake,
    'missing manifests': remove('.manifest.json'),
    'a lake in the place of the store': inPlaceOf('STORE_URL', 'lake'),
    'an old week': publishAt(-14),
    'a future week': publishAt(8),
    'a private key for all users': mode(0o644),
    'a private key for a group': mode(0o640),
    'no keys': async () => ({ SIGNING_KEY_FILE: '', PUBLIC_KEY_FILE: '' }),
    'a key that cannot be read': inPlaceOf('SIGNING_KEY_FILE', 'records.db'),
    'keys as text': async ({ settings }) => ({
      SIGNING_KEY_FILE: '',
      SIGNING_KEY: await readFile(settings['SIGNING_KEY_FILE']!, 'utf8'),
      PUBLIC_KEY_FILE: '',
      PUBLIC_KEY: await readFile(settings['PUBLIC_KEY_FILE']!, 'utf8'),
    }),
    'another signing key': async ({ folder }) => {
      const other = await makeTestKeys(folder, 'other');
      await chmod(other.privateKey, 0o600);
      return { SIGNING_KEY_FILE: other.privateKey };
    },
    'an S3 server that is away': async () => inS3('http://127.0.0.1:1'),
    'an S3 server that fails': answering(0, 503),
    'an S3 server that refuses access': answering(0, 403),
    'an S3 server without a clock': answering(null),
    'an S3 server whose clock is behind': answering(-30),
  },
  lake: {
    'a lost lake': empty('lake'),
    'a lake without deliveries': newLake,
    'no lake and no store': async ({ folder }) => ({
      LAKE_URL: join(folder, 'no-lake'),
      STORE_URL: join(folder, 'no-store'),
    }),
    'a lake without runs': async (copy) => {
      await remove('/drop/runs-')(copy);
      const others = { LAKE_URL: join(copy.folder, 'new-lake'), STORE_URL: join(copy.folder, 'no-store') };
      await run(copy, `job ingest --new-lake --from ${copy.folder}/drop --lake ${others.LAKE_URL}`);
      return others;
    },
    'an empty lake and no store': async (copy) => ({
      ...(await newLake(copy)),
      STORE_URL: join(copy.folder, 'no-store'),
    }),
    'other files in the place of the lake': async ({ folder }) => {
      await mkdir(join(folder, 'files'));
      await writeFile(join(folder, 'files/note'), 'a note');
      return { LAKE_URL: join(folder, 'files'), STORE_URL: join(folder, 'no-store') };
    },
    'a lake in S3 that is away': async () => ({
      ...inS3('http://127.0.0.1:1'),
      LAKE_URL: 's3://bucket/lake',
    }),
    'a store in the place of the lake': inPlaceOf('LAKE_URL', 'store'),
    'a store whose log cannot be read': async (copy) =>
      await writeFile(await fileOf(copy, '/store/log/checkpoint'), 'no note'),
    'no new delivery': async () => ({ LAKE_URL: stale.lake }),
    'a week without any data': async () => ({ STORE_URL: stale.store }),
    'data that came too late': async () => ({ STORE_URL: stale.store, LAKE_URL: stale.late }),
    'a missing delivery': async (copy) => {
      await run(copy, `job ingest --from ${copy.folder}/drop --date 2026-01-02`);
      await rm(await fileOf(copy, '/deliveries/'));
    },
    'missing objects': remove('/lake/runs/'),
    'an object that was cut off': async (copy) => await truncate(await fileOf(copy, '/tracking/'), 10),
  },
  'store lake': {
    'nothing but a mistaken snapshot': async (copy) => {
      const [, workspaceId] = /workspaces\/([^/]+)/.exec(await fileOf(copy, '/store/workspaces/'))!;
      await run(copy, `audit withdraw current --workspace ${workspaceId} --reason mistaken`);
    },
  },
};

const rows = Object.entries(harms).flatMap(([part, ofPart]) =>
  Object.entries(ofPart).map(([what, harm]) => [part, what, harm] as const),
);

test.each(rows)('of %s, %s is found as golden/ shows, and nothing else', async (part, what, harm) => {
  const copy = await copyOf(sound, await temporaryFolder());
  const others = await harm(copy);
  const place = { folder: copy.folder, settings: { ...copy.settings, ...others } };
  const transcript = await transcriptOf([`$ doctor --only ${part}`], place);
  await expect(transcript).toMatchFileSnapshot(golden(`${part}/${what}`.replaceAll(' ', '-')));
});

test('of a store in S3 conditional writes are tried only on request, and a missing bucket is found', async () => {
  const small = await startSmallS3('bucket');
  const careless = await startSmallS3('bucket', (headers) => {
    Reflect.deleteProperty(headers, 'if-match');
    return null;
  });
  const steps = [
    '$ doctor --only store',
    '$ doctor --only store --probe-writes',
    () => inS3(small.endpoint, 'no-such-bucket'),
    '$ doctor --only store',
    () => inS3(careless.endpoint),
    '$ doctor --only store --probe-writes',
  ];
  const { LAKE_URL, RECORDS_URL } = sound.settings;
  const settings = { LAKE_URL: `${LAKE_URL}-none`, RECORDS_URL: RECORDS_URL!, ...inS3(small.endpoint) };
  const place = { folder: await temporaryFolder(), settings };
  await expect(await transcriptOf(steps, place)).toMatchFileSnapshot(golden('s3'));
  await Promise.all([small.close(), careless.close()]);
});

test('records that this user cannot write are a warning, as golden/unwritable.txt shows', async () => {
  const { folder, settings } = await copyOf(sound, await temporaryFolder());
  await chmod(join(folder, 'records.db'), 0o444);
  // Root may write everything.
  const asOwner = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
  const doctor = [process.execPath, 'infra/doctor/cli.ts', '--only', 'records'];
  const [program, ...args] = [...asOwner, ...doctor];
  const { stdout } = await promisify(execFile)(program!, args, {
    env: { ...programEnvironment(), ...settings },
  });
  await expect(stableText(stdout)).toMatchFileSnapshot(golden('unwritable'));
});
