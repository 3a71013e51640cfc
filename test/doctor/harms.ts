import { chmod, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runHere } from '../support/command-line.ts';
import { filesBelow } from '../jobs/lake.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import type { Installation } from './installation.ts';

/** The first file of a copy whose path holds this. */
async function fileOf({ folder }: Installation, part: string): Promise<string> {
  return (await filesBelow(folder)).find((file) => file.includes(part))!;
}

function sql(folder: string, text: string): void {
  const database = new DatabaseSync(join(folder, 'records.db'));
  database.exec(text);
  database.close();
}

/** A store that was published now, from data of January. */
async function publishStale({ folder, settings }: Installation): Promise<string> {
  const [drop, lake, store] = ['stale', 'stale-lake', 'stale-store'].map((name) => join(folder, name));
  const sizes = ['--workspaces', '2', '--brands', '2', '--prompts', '1', '--cycles', '2'];
  for (const args of [
    ['demo', '--to', drop!, ...sizes, '--as-of', '2026-01-05T06:00:00Z'],
    ['ingest', '--new-lake', '--from', drop!, '--lake', lake!, '--date', '2026-01-01'],
    ['weekly', '--lake', lake!, '--store', store!],
  ])
    await runHere('job', args, { settings });
  return store!;
}

/** A lake that was made a moment ago. */
async function newLake({ folder, settings }: Installation): Promise<Record<string, string>> {
  const LAKE_URL = join(folder, 'new-lake');
  await runHere('job', ['ingest', '--new-lake', '--lake', LAKE_URL], { settings });
  return { LAKE_URL };
}

type Harm = (copy: Installation) => Promise<Record<string, string> | void>;

/** A change to a copy of the installation, and the expected findings. Settings that a harm returns replace others. */
export const harms: [what: string, harm: Harm, complaints: string[], found: string | RegExp][] = [
  [
    'a setting that does not parse, before anything is touched',
    async () => ({ PORT: 'eighty' }),
    ['failure settings'],
    'PORT',
  ],
  [
    'records of a newer version',
    async ({ folder }) => sql(folder, 'pragma user_version = 999'),
    ['failure records: schema'],
    /^version 999, this version reads and writes \d+$/,
  ],
  [
    'records that do not exist',
    async ({ folder }) => await rm(join(folder, 'records.db')),
    ['warning records: schema'],
    'no records yet',
  ],
  [
    'records that are not a database',
    async ({ folder }) =>
      await writeFile(join(folder, 'records.db'), 'a note that is long enough to be none'.repeat(9)),
    ['failure records'],
    'file is not a database',
  ],
  [
    'records without an active key',
    async ({ folder }) => sql(folder, 'update keys set revoked_at = 1'),
    ['warning records: workspaces'],
    '0 active keys',
  ],
  [
    'a store that does not exist',
    async ({ folder }) => await rm(join(folder, 'store'), { recursive: true }),
    ['failure store'],
    'does not exist',
  ],
  [
    'a store whose folder is there and empty, although the lake remembers its log',
    async ({ folder }) => {
      await rm(join(folder, 'store'), { recursive: true });
      await mkdir(join(folder, 'store'));
    },
    ['failure log'],
    /store has no log, and \S+lake remembers one of 3 entries: the store was lost$/,
  ],
  [
    'a store that is behind its lake',
    async (copy) => {
      const before = await readFile(await fileOf(copy, '/log/checkpoint'));
      await runHere('job', ['weekly'], { settings: copy.settings });
      await writeFile(await fileOf(copy, '/log/checkpoint'), before);
    },
    ['failure log'],
    /remembers 6: the store is behind its lake$/,
  ],
  [
    'a log of another name',
    async () => ({ LOG_ORIGIN: 'other.example/log' }),
    ['failure log'],
    /is of the log sightline\.local\/log, and LOG_ORIGIN is other\.example\/log$/,
  ],
  [
    'a workspace that is missing from the store',
    async (copy) => {
      const [, workspace] = /^(.*\/store\/workspaces\/[^/]+)\//.exec(
        await fileOf(copy, '/store/workspaces/'),
      )!;
      await rm(workspace!, { recursive: true });
    },
    ['failure snapshots'],
    /histories\/\S+ is missing$/,
  ],
  [
    'a manifest that is missing',
    async (copy) => await rm(await fileOf(copy, '.manifest.json')),
    ['failure snapshots'],
    'manifest.json is missing',
  ],
  [
    'a store that is a lake',
    async ({ folder }) => ({ STORE_URL: join(folder, 'lake') }),
    ['failure log'],
    'it is a lake',
  ],
  [
    'a lake that is a store',
    async ({ folder }) => ({ LAKE_URL: join(folder, 'store') }),
    ['failure lake'],
    'it is a store',
  ],
  [
    'a lake to which nothing new is delivered',
    async ({ folder, settings }) => {
      const old = ['--cycles', '2', '--as-of', '2026-01-05T06:00:00Z', '--to', join(folder, 'old')];
      const [drop, LAKE_URL] = [join(folder, 'old'), join(folder, 'old-lake')];
      await runHere('job', ['demo', '--brands', '1', '--prompts', '1', ...old], { settings });
      await runHere('job', ['ingest', '--new-lake', '--from', drop, '--lake', LAKE_URL], { settings });
      return { LAKE_URL };
    },
    ['warning lake: newest cycle'],
    /^2026-01-05, more than 10 days ago$/,
  ],
  [
    'a week that was published without anything delivered',
    async (copy) => ({ STORE_URL: await publishStale(copy) }),
    ['warning lake: published week'],
    /^nothing was delivered for 2 of 2 workspaces, /,
  ],
  [
    'a week that was delivered after it was published',
    async (copy) => {
      const [drop, LAKE_URL] = [join(copy.folder, 'drop'), join(copy.folder, 'late-lake')];
      const STORE_URL = await publishStale(copy);
      await runHere('job', ['ingest', '--new-lake', '--from', drop, '--lake', LAKE_URL], {
        settings: copy.settings,
      });
      return { STORE_URL, LAKE_URL };
    },
    ['warning lake: published week'],
    /^delivered after the week was published: /,
  ],
  [
    'a checkpoint that cannot be read',
    async (copy) => await writeFile(await fileOf(copy, '/log/checkpoint'), '{'),
    ['failure log'],
    'checkpoint',
  ],
  [
    'snapshots of two weeks ago',
    async ({ folder, settings }) => {
      const asOf = new Date(Date.now() - 14 * 86_400_000).toISOString();
      await runHere('job', ['weekly', '--as-of', asOf, '--store', join(folder, 'old')], {
        settings: {
          ...settings,
          LOG_ORIGIN: 'old.example/log',
        },
      });
      return { STORE_URL: join(folder, 'old'), LOG_ORIGIN: 'old.example/log' };
    },
    ['warning snapshots: age'],
    '14.0 days ago; 2 of 2 workspaces',
  ],
  [
    'a snapshot from the future',
    async ({ folder, settings }) => {
      const asOf = new Date(Date.now() + 8 * 86_400_000).toISOString();
      await runHere('job', ['weekly', '--as-of', asOf, '--store', join(folder, 'new')], {
        settings: {
          ...settings,
          LOG_ORIGIN: 'new.example/log',
        },
      });
      return { STORE_URL: join(folder, 'new'), LOG_ORIGIN: 'new.example/log' };
    },
    ['failure snapshots: age'],
    /^2 of 2 workspaces have a snapshot from the future, the first is as of /,
  ],
  [
    'a private key that all users can read',
    async ({ settings }) => await chmod(settings['SIGNING_KEY_FILE']!, 0o644),
    ['failure signing key'],
    'mode 0644',
  ],
  [
    'a private key that its group can read',
    async ({ settings }) => await chmod(settings['SIGNING_KEY_FILE']!, 0o640),
    ['warning signing key'],
    'mode 0640',
  ],
  [
    'a private key file without a key',
    async ({ settings }) => await writeFile(settings['SIGNING_KEY_FILE']!, 'none'),
    ['failure signing key'],
    'is not an Ed25519 private key',
  ],
  [
    'another signing key than that of the log',
    async ({ folder }) => {
      const other = await makeTestKeys(folder, 'other');
      await chmod(other.privateKey, 0o600);
      return { SIGNING_KEY_FILE: other.privateKey };
    },
    ['failure signing key: log', 'failure public keys: pair'],
    'is signed with another key',
  ],
  [
    'a lake that does not exist, next to a store with a log',
    async ({ folder }) => await rm(join(folder, 'lake'), { recursive: true }),
    ['failure lake'],
    /^there is no lake at \S+lake, and \S+store has a log$/,
  ],
  [
    'an empty folder in the place of the lake, next to a store with a log',
    async ({ folder }) => {
      await rm(join(folder, 'lake'), { recursive: true });
      await mkdir(join(folder, 'lake'));
    },
    ['failure lake'],
    /^there is no lake at \S+lake, and \S+store has a log$/,
  ],
  [
    'a lake without its mark',
    async ({ folder }) => {
      await rm(join(folder, 'lake/lake.txt'));
      return { STORE_URL: join(folder, 'no-store') };
    },
    ['failure lake'],
    /^there is no lake at \S+lake, but other files$/,
  ],
  [
    'a lake without deliveries, next to a store with a log',
    newLake,
    ['failure lake: ledger'],
    /new-lake has no deliveries, and \S+store has a log$/,
  ],
  [
    'a lake that does not remember the log of the store',
    newLake,
    ['failure log'],
    /new-lake does not remember it$/,
  ],
  [
    'no lake before anything is published',
    async ({ folder }) => ({ LAKE_URL: join(folder, 'none'), STORE_URL: join(folder, 'none') }),
    ['warning lake'],
    /^there is no lake at \S+none$/,
  ],
  [
    'a delivery that is missing',
    async (copy) => {
      const second = ['ingest', '--from', join(copy.folder, 'drop'), '--date', '2026-01-02'];
      await runHere('job', second, { settings: copy.settings });
      await rm(await fileOf(copy, '/deliveries/'));
    },
    ['failure lake: ledger'],
    'delivery 1 is missing',
  ],
  [
    'a lake object that is missing',
    async (copy) => await rm(await fileOf(copy, '/runs/')),
    ['failure lake: objects'],
    /^runs\/.* is missing$/,
  ],
  [
    'a lake object that was cut off',
    async (copy) => await truncate(await fileOf(copy, '/tracking/'), 10),
    ['failure lake: objects'],
    'has 10 bytes instead of',
  ],
];
