/**
 * @module-tag long
 * @module-tag black-box
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { programEnvironment } from '../support/environment.ts';
import { temporaryFolders } from '../support/folder.ts';
import { root, tableAfter } from './pages.ts';
import { parts } from './tour.ts';

const newFolder = temporaryFolders();

/** Two published weeks, with copies from after the first, a kept checkpoint and a key for a rotation. */
const BEFORE = `
npm run job -- demo --to .data/drop --workspaces 1 --brands 1 --prompts 2 --cycles 2 --as-of 2026-11-16T06:00:00Z
npm run job -- ingest --from .data/drop --date 2026-10-01
npm run audit -- keygen --out .data/keys/next
npm run job -- weekly --as-of 2026-11-09T12:00:00Z
cp -r .data/store .data/store-before
cp -r .data/lake .data/lake-before
npm run job -- weekly --as-of 2026-11-16T12:00:00Z
cp -r .data/store .data/store-copy
npm run audit -- verify --state .data/kept`;

const PUBLISH = 'npm run job -- weekly --as-of 2026-11-17T12:00:00Z';
const VERIFY = 'npm run audit -- verify';
const WITH_STATE = `${VERIFY} --state .data/kept`;
const NOTHING_SHOWS_IT = 'exit 1';
const NEW_LOG = 'LOG_ORIGIN=sightline.local/log-2 STORE_URL=.data/store-2';
const NEW_KEY = 'SIGNING_KEY_FILE=.data/keys/next.private.pem PUBLIC_KEY_FILE=.data/keys/next.public.pem';

/** A row of the table by its beginning: how it comes about, what shows it (exit status 1), and the settings afterwards. */
interface Damage {
  row: string;
  harm: string;
  isShownBy: string;
  settings?: string;
  /** Readers of a log with a new name begin without the old checkpoint. */
  isNewLog?: true;
}

const damages: Damage[] = [
  {
    row: 'A part of the log',
    harm: `find .data/store/log/tile .data/store/heads .data/store/workspaces/*/histories -type f -delete
      echo x > .data/checkpoint; mv .data/checkpoint .data/store/log/checkpoint`,
    isShownBy: WITH_STATE,
  },
  {
    row: 'Manifests, lists of inputs or documents are altered',
    harm: `find .data/store/inputs .data/store/workspaces -name brands.json -delete -o -path '*inputs*' -type f -delete
      for file in .data/store/workspaces/*/snapshots/*/*.manifest.json; do sed -i s/1/2/ $file; done`,
    isShownBy: WITH_STATE,
  },
  {
    row: 'Documents are altered or missing',
    harm: `find .data/store -name brands.json -delete
      for file in .data/store/workspaces/*/snapshots/*/brands/*/visibility.json; do sed -i s/1/2/ $file; done`,
    isShownBy: WITH_STATE,
  },
  {
    row: 'Manifests, lists of inputs or documents are gone',
    harm: 'rm -r .data/lake/runs; rm -f .data/store/workspaces/*/snapshots/20261109*/brands.json',
    isShownBy: 'npm run audit -- rebuild --all --repair',
  },
  { row: 'The store was lost, and you have', harm: 'rm -r .data/store/*', isShownBy: WITH_STATE },
  {
    row: 'The store is an older copy without',
    harm: 'rm -r .data/store; cp -r .data/store-before .data/store',
    isShownBy: WITH_STATE,
  },
  {
    row: 'The store was lost, and there is no copy',
    harm: 'rm -r .data/store/*',
    isShownBy: WITH_STATE,
    settings: NEW_LOG,
    isNewLog: true,
  },
  { row: 'The lake was lost', harm: 'rm -r .data/lake', isShownBy: PUBLISH },
  { row: 'The lake is an older', harm: 'rm -r .data/lake/log', isShownBy: PUBLISH },
  {
    row: 'The lake is an older',
    harm: 'rm -r .data/lake; cp -r .data/lake-before .data/lake',
    isShownBy: PUBLISH,
  },
  {
    row: 'Store and lake are older',
    harm: `rm -r .data/store .data/lake
      cp -r .data/store-before .data/store
      cp -r .data/lake-before .data/lake`,
    isShownBy: WITH_STATE,
    settings: NEW_LOG,
    isNewLog: true,
  },
  {
    row: 'The signing key was lost',
    harm: 'rm -f .data/keys/sightline.private.pem',
    isShownBy: PUBLISH,
    settings: NEW_KEY,
  },
  {
    row: 'A clock was ahead',
    harm: 'true',
    isShownBy: NOTHING_SHOWS_IT, // here: test/snapshots/verify/thief.test.ts has such an entry
    settings: NEW_LOG,
    isNewLog: true,
  },
  {
    row: 'The key was stolen, and nobody',
    harm: 'true',
    isShownBy: NOTHING_SHOWS_IT,
    settings: NEW_KEY,
  },
  {
    row: 'The key was stolen, and the store',
    harm: `cp -r .data/store .data/store-of-the-thief; cp -r .data/lake .data/lake-of-the-thief
      STORE_URL=.data/store-of-the-thief LAKE_URL=.data/lake-of-the-thief ${PUBLISH}
      rm -r .data/store; mv .data/store-of-the-thief .data/store
      ${WITH_STATE}`,
    isShownBy: PUBLISH,
    settings: `${NEW_LOG} ${NEW_KEY}`,
    isNewLog: true,
  },
  { row: 'A published week was wrong', harm: 'true', isShownBy: NOTHING_SHOWS_IT },
  {
    row: 'The store contains an object',
    harm: 'echo x > .data/store/stray.txt',
    isShownBy: WITH_STATE,
  },
];

const rows = tableAfter('docs/auditing.md', 'intact');

let base: string;
beforeAll(async () => {
  base = await newFolder();
  for (const part of parts) await symlink(join(root, part), join(base, part));
  await run(base, BEFORE);
});

async function run(folder: string, script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    cwd: folder,
    env: { ...programEnvironment(), HOME: folder },
  });
  return stdout;
}

/** The commands of the section "A new log", for the weeks of this test. */
const newLog = /### A new log.*?```sh\n(.*?)```/s
  .exec(readFileSync(join(root, 'docs/auditing.md'), 'utf8'))![1]!
  .replace(/for day in [^;]+/, 'for day in 2026-11-09 2026-11-16');

/** The command of a row for this workspace, its newest snapshot and the object that a test adds. */
function commandOf(row: string): string {
  const [, command] = rows.find(([what]) => what!.startsWith(row))!;
  if (command!.includes('#a-new-log')) return newLog;
  return command!
    .replaceAll(/\bID\b/g, '$(ls .data/store/workspaces)')
    .replaceAll(/\bSNAPSHOT\b/g, 'current')
    .replaceAll(/\bCOPY\b/g, '.data/store-copy')
    .replaceAll(/\bAS_OF\b/g, '2026-11-16T12:00:00Z')
    .replaceAll(/\bOBJECT\b/g, 'stray.txt');
}

test('every row of the table is tested', () => {
  expect(rows.length).toBeGreaterThan(5);
  const tested = damages.map(({ row }) => row);
  expect(rows.filter(([what]) => !tested.some((row) => what!.startsWith(row)))).toEqual([]);
});

test.each(damages)('$row … ($harm): the command leads back to Intact', async (damage) => {
  const { row, harm, isShownBy, settings = '', isNewLog } = damage;
  const folder = await newFolder();
  await cp(base, folder, { recursive: true, verbatimSymlinks: true });
  await run(folder, harm);
  await expect(run(folder, isShownBy)).rejects.toMatchObject({ code: 1 });
  const exported = settings === '' ? '' : `export ${settings}\n`;
  await run(folder, `${isNewLog ? exported : ''}${commandOf(row)}`);
  expect(await run(folder, `${exported}${isNewLog ? VERIFY : WITH_STATE}`)).toContain('\nIntact.\n');
  // One of the harms takes the runs from the lake.
  const published = await run(folder, `${exported}[ ! -d .data/lake/runs ] || ${PUBLISH}\n${VERIFY}`);
  expect(published).toContain('\nIntact.\n');
});
