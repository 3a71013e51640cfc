/** @module-tag long */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { runHere } from '../support/command-line.ts';
import { programEnvironment } from '../support/environment.ts';
import { temporaryFolders } from '../support/folder.ts';
import { pageText, tableAfter } from './pages.ts';

const newFolder = temporaryFolders();

const VERIFY = 'sightline audit verify --state .data/kept';
const PUBLISH = 'sightline job weekly --as-of 2026-11-17T12:00:00Z';
const NOTHING_SHOWS_IT = 'exit 1';

/** Two published weeks, with copies from after each, a kept checkpoint and a key for a rotation. */
const BEFORE = [
  'sightline job demo --to .data/drop --workspaces 1 --brands 1 --prompts 2 --cycles 2 --as-of 2026-11-16T06:00:00Z',
  'sightline job ingest --from .data/drop --date 2026-10-01',
  'sightline audit keygen --out .data/keys/next',
  'sightline job weekly --as-of 2026-11-09T12:00:00Z',
  'cp -r .data/store .data/store-before; cp -r .data/lake .data/lake-before',
  'sightline job weekly --as-of 2026-11-16T12:00:00Z',
  'cp -r .data/store .data/store-copy',
  VERIFY,
];

type Settings = Record<string, string>;
const newLog = { LOG_ORIGIN: 'sightline.local/log-2', STORE_URL: '.data/store-2' };
const newKey = {
  SIGNING_KEY_FILE: '.data/keys/next.private.pem',
  PUBLIC_KEY_FILE: '.data/keys/next.public.pem',
};

/** How the damage of a row comes about, the command that fails until it is mended, and settings afterwards. */
interface Damage {
  /** The beginning of the row. */
  row: string;
  harm: string;
  /** By how much the clock is ahead while it comes about. */
  hoursAhead?: number;
  isShownBy?: string;
  settings?: Settings;
}

const damages: Damage[] = [
  {
    row: 'A part of the log',
    harm: `find .data/store/log/tile .data/store/heads .data/store/workspaces/*/histories -type f -delete
      echo x > .data/checkpoint; mv .data/checkpoint .data/store/log/checkpoint`,
    isShownBy: VERIFY,
  },
  {
    row: 'Manifests, lists of inputs or documents are altered',
    harm: `find .data/store/inputs .data/store/workspaces -name brands.json -delete -o -path '*inputs*' -type f -delete
      for file in .data/store/workspaces/*/snapshots/*/*.manifest.json; do sed -i s/1/2/ $file; done`,
    isShownBy: VERIFY,
  },
  {
    row: 'Documents are altered or missing',
    harm: `find .data/store -name brands.json -delete
      for file in .data/store/workspaces/*/snapshots/*/brands/*/visibility.json; do sed -i s/1/2/ $file; done`,
    isShownBy: VERIFY,
  },
  {
    row: 'Manifests, lists of inputs or documents are gone',
    harm: `rm -r .data/lake/runs; rm .data/store/workspaces/*/snapshots/20261109*/brands.json
      rm .data/store/workspaces/*/snapshots/20261116*/*.manifest.json`,
    isShownBy: VERIFY,
  },
  { row: 'The store was lost, and you', harm: 'rm -r .data/store', isShownBy: VERIFY },
  {
    row: 'The store was lost, and there',
    harm: 'rm -r .data/store',
    isShownBy: VERIFY,
    settings: newLog,
  },
  {
    row: 'Store and lake are older',
    harm: `rm -r .data/store .data/lake
      cp -r .data/store-before .data/store; cp -r .data/lake-before .data/lake`,
    isShownBy: VERIFY,
    settings: newLog,
  },
  { row: 'A clock was ahead', harm: PUBLISH, hoursAhead: 1, isShownBy: VERIFY, settings: newLog },
  {
    row: 'The store is an older copy without',
    harm: 'rm -r .data/store; cp -r .data/store-before .data/store',
    isShownBy: VERIFY,
  },
  { row: 'The lake was lost', harm: 'rm -r .data/lake', isShownBy: PUBLISH },
  {
    row: 'The lake is an older',
    harm: 'rm -r .data/lake; cp -r .data/lake-before .data/lake',
    isShownBy: PUBLISH,
  },
  {
    row: 'The signing key was lost',
    harm: 'rm -f .data/keys/sightline.private.pem',
    isShownBy: PUBLISH,
    settings: newKey,
  },
  { row: 'The key was stolen, and nobody', harm: 'true', settings: newKey },
  {
    row: 'The key was stolen, and the store',
    harm: `cp -r .data/store .data/store-of-the-thief; cp -r .data/lake .data/lake-of-the-thief
      STORE_URL=.data/store-of-the-thief LAKE_URL=.data/lake-of-the-thief ${PUBLISH}
      rm -r .data/store; mv .data/store-of-the-thief .data/store`,
    isShownBy: PUBLISH,
    settings: { ...newLog, ...newKey },
  },
  { row: 'A published week was wrong', harm: 'true' },
  { row: 'The store contains an object', harm: 'echo x > .data/store/stray.txt', isShownBy: VERIFY },
];

let base: string;
beforeAll(async () => {
  base = await newFolder();
  for (const script of BEFORE) {
    const { status, stderr } = await run(base, script);
    if (status !== 0) throw new Error(`${script}: ${stderr}`);
  }
});

/** Runs one or more of our commands in this process, and anything else in a shell. */
async function run(folder: string, script: string, settings: Settings = {}) {
  if (!/^sightline .*$/.test(script)) {
    const env = { ...programEnvironment(), ...settings, HOME: folder };
    return spawnSync('bash', ['-euc', script], { cwd: folder, env, encoding: 'utf8' });
  }
  let ended = { status: 0 as number | null, stdout: '', stderr: '' };
  for (const command of script.split(' && ')) {
    const [, program, ...words] = command.split(' ');
    ended = await runHere(program as 'audit' | 'job', words, { folder, settings });
    if (ended.status !== 0) break;
  }
  return ended;
}

const rows = tableAfter('docs/auditing.md', 'intact');
const commandIn = (row: string) => rows.find(([what]) => what!.startsWith(row))![1]!;

/** The command of a row for this workspace, its newest snapshot and the object that a test adds. */
async function commandOf(row: string): Promise<string> {
  const command = commandIn(row);
  if (command.includes('#a-new-log')) {
    const [, commands] = /### A new log.*?```sh\n(.*?)```/s.exec(pageText('docs/auditing.md'))!;
    return commands!.replace(/for day in [^;]+/, 'for day in 2026-11-09 2026-11-16');
  }
  const [workspace] = await readdir(join(base, '.data/store/workspaces'));
  return command
    .replaceAll(/\bID\b/g, workspace!)
    .replaceAll(/\bSNAPSHOT\b/g, 'current')
    .replaceAll(/\bCOPY\b/g, '.data/store-copy')
    .replaceAll(/\bAS_OF\b/g, '2026-11-16T12:00:00Z')
    .replaceAll(/\bOBJECT\b/g, 'stray.txt');
}

test('every row of the table is tested', () => {
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(([what]) => !damages.some(({ row }) => what!.startsWith(row)))).toEqual([]);
});

test.each(damages)(
  '$row …: the command leads back to Intact',
  async ({ row, harm, hoursAhead, isShownBy = NOTHING_SHOWS_IT, settings }) => {
    const folder = await newFolder();
    await cp(base, folder, { recursive: true });
    if (hoursAhead !== undefined) vi.spyOn(Date, 'now').mockReturnValue(Date.now() + hoursAhead * 3_600_000);
    expect(await run(folder, harm)).toMatchObject({ status: 0 });
    vi.restoreAllMocks();
    expect((await run(folder, isShownBy)).status).toBeGreaterThan(0);
    const isNewLog = settings !== undefined && 'STORE_URL' in settings;
    const command = await commandOf(row);
    const ended = await run(folder, command, isNewLog ? settings : {});
    expect([ended.status, ended.stderr]).toEqual([0, expect.anything()]);
    // Without its runs a lake has nothing to publish.
    const next = isShownBy === PUBLISH && existsSync(join(folder, '.data/lake/runs')) ? PUBLISH : 'true';
    expect(await run(folder, next, settings)).toMatchObject({ status: 0 });
    // Readers of a log with a new name begin without the old checkpoint.
    const verified = await run(folder, isNewLog ? VERIFY.replace('kept', 'kept-2') : VERIFY, settings);
    expect(verified.stdout).toMatch(/^Intact\.$/m);
  },
);

test('a missing week that comes out with other bytes is withdrawn as lost, and published again', async () => {
  const folder = await newFolder();
  await cp(base, folder, { recursive: true });
  const [id] = await readdir(join(base, '.data/store/workspaces'));
  const [complete, again] = (await commandOf('The store is an older copy without')).split(' && ');
  const succeeds = async (script: string) => expect(await run(folder, script)).toMatchObject({ status: 0 });
  await succeeds(`rm -r .data/store; cp -r .data/store-before .data/store
    sed -i 's/"name":"/&Re/' .data/drop/brands.ndjson`);
  for (const line of ['sightline job ingest --from .data/drop --date 2026-11-10', complete!, again!])
    await succeeds(line);
  expect((await run(folder, VERIFY)).status).toBe(1);
  await succeeds(`sightline audit withdraw --all-lost --workspace ${id} --reason lost`);
  await succeeds(PUBLISH);
  await succeeds(VERIFY);
});
