/**
 * @module-tag long
 * @module-tag black-box
 */
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

/** Two published workspaces. */
const BEFORE = `
npm run job -- demo --to .data/drop --workspaces 2 --brands 2 --prompts 2 --cycles 2 --as-of 2026-11-16T06:00:00Z
npm run job -- ingest --from .data/drop --date 2026-10-01
npm run job -- weekly --as-of 2026-11-16T12:00:00Z
npm run audit -- verify --state .data/state
`;

let folder: string;
beforeAll(async () => {
  folder = await newFolder();
  for (const part of parts) await symlink(join(root, part), join(folder, part));
  await run(BEFORE);
});

async function run(script: string): Promise<string> {
  const env = { ...programEnvironment(), HOME: folder };
  const workspace = 'workspace=$(ls .data/store/workspaces 2>/dev/null | head -n 1)';
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${workspace}\n${script}`], {
    cwd: folder,
    env,
  });
  return stdout;
}

test('a folder that was only deleted is reported', async () => {
  const copied = 'cp -r .data/store .data/copy && rm -r .data/copy/workspaces/$workspace';
  const printed = await run(`${copied}\nnpm run audit -- verify --store .data/copy || [ $? = 1 ]`);
  expect(printed).toMatch(/^named_missing: /m);
});

test('a customer is removed by an entry of the log, and the store stays intact', async () => {
  const printed = await run(`
    npm run audit -- withdraw --all --workspace $workspace --reason removed
    npm run audit -- verify --state .data/state
    npm run job -- remove --workspace $workspace --yes
    npm run job -- remove --workspace $workspace --yes
    npm run job -- weekly --as-of 2026-11-16T12:00:01Z --allow-shrink
    npm run audit -- verify --state .data/state
    echo left: $(find .data/store/workspaces/$workspace -type f -not -path '*/histories/*')`);
  expect(printed).toMatch(/: withdrawn, removed$/m);
  expect(printed.match(/^Intact\.$/gm)).toHaveLength(2);
  expect(printed).toMatch(/^Removed \d+ rows\. Deleted \d+ objects\.$/m);
  expect(printed).toMatch(/^Nothing to remove: /m);
  expect(printed).toMatch(/^removed: /m);
  expect(printed).toMatch(/^left:$/m);
});
