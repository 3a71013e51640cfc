/** @module-tag long */
import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { programEnvironment } from '../support/environment.ts';
import { temporaryFolders } from '../support/folder.ts';
import { root } from './pages.ts';
import { parts } from './tour.ts';

const newFolder = temporaryFolders();

const SETTINGS = {
  SIGNING_KEY_FILE: '.data/key.private.pem',
  PUBLIC_KEY_FILE: '.data/key.public.pem',
  LOG_ORIGIN: 'a.example/log',
};

/** Two signed workspaces in the transparency log, and a lake that was built again without the first one. */
const BEFORE = `
npm run job -- demo --to .data/drop --workspaces 2 --brands 2 --prompts 2 --cycles 2 --as-of 2026-11-16T06:00:00Z
npm run job -- ingest --from .data/drop --date 2026-10-01
npm run audit -- keygen --out .data/key
npm run job -- weekly --as-of 2026-11-16T12:00:00Z
npm run audit -- log append
npm run audit -- verify --state .data/state.json
workspace=$(ls .data/store/workspaces | head -n 1)
brand=$(grep -h $workspace .data/drop/brands.ndjson | grep -o '"id":"[^"]*"' | cut -d '"' -f 4)
mkdir .data/kept
for file in .data/drop/*.ndjson; do grep -v -e $workspace -e $brand $file > .data/kept/$(basename $file); done
npm run job -- ingest --from .data/kept --lake .data/lake-kept --date 2026-10-01
mv .data/lake/heads .data/lake/log .data/lake-kept/
rm -r .data/lake
mv .data/lake-kept .data/lake
`;

let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  for (const part of parts) await symlink(join(root, part), join(folder, part));
  await run(BEFORE);
});

async function run(script: string): Promise<string> {
  const env = { ...programEnvironment(), ...SETTINGS, HOME: folder };
  const workspace = 'workspace=$(ls .data/store/workspaces 2>/dev/null | head -n 1)';
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${workspace}\n${script}`], {
    cwd: folder,
    env,
  });
  return stdout;
}

test('with a transparency log, a deleted folder is reported', async () => {
  const copied = 'cp -r .data/store .data/copy && rm -r .data/copy/workspaces/$workspace';
  const printed = await run(`${copied}\nnpm run audit -- verify --store .data/copy || [ $? = 1 ]`);
  expect(printed).toMatch(/^logged_not_published /m);
});

test('with a transparency log, a customer is retired and pruned, and the store stays intact', async () => {
  const printed = await run(`
    npm run job -- weekly --as-of 2026-11-16T12:00:01Z --workspace $workspace --allow-shrink
    npm run audit -- prune --workspace $workspace --keep "$(date -u +%F)" --yes
    npm run audit -- log append
    npm run audit -- verify --state .data/state.json
    echo documents: $(find .data/store/workspaces/$workspace -type f -path '*/brands/*')`);
  expect(printed).toContain('Removed 1 snapshot,');
  expect(printed).toContain('Appended 1 entry;');
  expect(printed).toContain('\nIntact.\n');
  expect(printed).toMatch(/^documents:$/m);
});
