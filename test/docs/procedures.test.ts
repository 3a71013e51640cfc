/** @module-tag long */
import { execFile } from 'node:child_process';
import { readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../support/postgres.ts';
import { filesBelow } from '../jobs/lake.ts';
import { keysWith } from '../jobs/remove/customers.ts';
import { programEnvironment } from '../support/environment.ts';
import { temporaryFolder } from '../support/folder.ts';
import { blocksOf, pageText, root } from './pages.ts';

const page = 'docs/procedures.md';
const blocks = blocksOf(pageText(page))
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text);

/** A folder in which the project's commands run as in a clone, with nothing in `.data`. */
async function emptyClone(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ['package.json', 'node_modules', 'lib', 'snapshots', 'jobs', 'gateway', 'infra']) {
    await symlink(join(root, name), join(folder, name));
  }
  return folder;
}

/** The output of each block, and the folder in which they ran. */
async function runAll(): Promise<{ printed: Map<string, string>; folder: string }> {
  const folder = await emptyClone();
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const script = blocks.map((block, index) => `echo "=== ${index}"\n${block}`).join('\n');
  await writeFile(join(folder, 'page.sh'), script);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', 'page.sh'], {
    cwd: folder,
    env: { ...programEnvironment(), HOME: folder, POSTGRES_URL: await server.createDatabase() },
    maxBuffer: 1 << 26,
  }).catch((error: Error & { stdout: string }) => {
    throw new Error(`${error.message}\nThe last block printed:\n${error.stdout.split('=== ').at(-1)}`);
  });
  const outputs = stdout.split(/^=== \d+\n/m).slice(1);
  return { printed: new Map(blocks.map((block, index) => [block, outputs[index]!])), folder };
}

test('every procedure does what the page says, one after the other', async () => {
  const { printed, folder } = await runAll();
  const outputOf = (wanted: string) => [...printed].find(([block]) => block.includes(wanted))![1];
  const list = 'audit -- list';

  expect(outputOf('records -- workspace set')).toMatch(/\n0 failed, /);
  expect(outputOf('records -- backup')).toMatch(/records-before\.db +1 +1 /);
  // The snapshot before the mistaken one is served again, and both stay in the log.
  expect(outputOf(list)).toMatch(/20261116T120001\.000Z-[0-9a-f]{16} [^\n]* mistaken\n/);
  expect(outputOf(list)).toMatch(/20261116T120000\.000Z-[0-9a-f]{16} [^\n]* current\n/);
  expect(idsIn(outputOf(list))).toHaveLength(1 + 4); // of the withdrawal, and of the list
  expect(outputOf('records-lost')).toMatch(
    /1 workspaces, 1 of them with the API, 1 active keys[^]*\n0 failed, /,
  );
  expect(outputOf('store-lost')).toContain('Intact.');
  const firstWeeks = async (store: string) =>
    (await filesBelow(join(folder, '.data', store)))
      .filter((file) => /\/202611(?:02|09)T120000.*\.manifest\.json$/.test(file))
      .map((file) => relative(join(folder, '.data', store), file));
  expect(await firstWeeks('store-moved')).toEqual(await firstWeeks('store-lost'));
  expect(await firstWeeks('store-moved')).toHaveLength(4);
  const leaked = outputOf('key revoke');
  expect(leaked.match(/^vis_[0-9a-f]{48}$/gm)).toHaveLength(1);
  expect(leaked).toMatch(/^vis_[0-9a-f]{8} +monday report +\S+Z +(?:-|\S+Z) +\S+Z$/m);
  // Published before; nothing is new.
  const again = outputOf('--shard 2/4');
  expect(newSnapshotsIn(again)).toEqual([0, 0, 0]);
  const late = outputOf('.data/late\nnpm run job -- weekly');
  expect(newSnapshotsIn(late)).toEqual([2]);
  expect(late).toContain('new cycle');
  expect(outputOf('records -- copy')).toMatch(/^workspaces +keys .*\n +1 +2 +1 +0$/m);
  expect(outputOf('records -- copy')).toMatch(/\n0 failed, 0 warnings, \d+ ok\n/);
  expect(outputOf('--keep 104')).toMatch(/Would remove 0 snapshots[^]*Removed 0 snapshots/);
  const shards = newSnapshotsIn(outputOf('for i in 1 2 3 4'));
  expect(shards).toEqual([0, 0, 0, 0]);
  expectProceduresOfADay(outputOf);
  const removal = outputOf('job -- remove');
  expect(removal).toMatch(/ removed +removed +no +- +0\n/);
  expect(removal).toMatch(
    /\nWould remove \d+ rows of the workspace: rewrite \d+ objects, and delete \d+.*\. To do it, add --yes\.\n/,
  );
  expect(removal).toMatch(/\nRemoved \d+ rows\. /);
  expect(removal).toMatch(/\n0 failed, /);
  await expectNothingOf(await removedIds(folder), folder);
});

/** Procedures that at the end leave everything unchanged, except the keys. */
function expectProceduresOfADay(outputOf: (wanted: string) => string): void {
  const rehearsal = outputOf('mkdir .data/rehearsal');
  expect(rehearsal).toContain('Intact.');
  expect(rehearsal).toMatch(/\n0 failed, /);
  const rotation = outputOf('audit -- keygen');
  expect(newSnapshotsIn(rotation)).toEqual([0]);
  expect(rotation).toContain('Intact.');
  const moved = outputOf('cp -r .data/store .data/store-moved');
  expect(moved).toContain('Intact.');
  expect(moved).toMatch(/\n0 failed, /);
  expect(newSnapshotsIn(moved)).toEqual([0]);
  const split = outputOf('mkdir .data/job-machine');
  expect(split.match(/\n0 failed, /g)).toHaveLength(2);
  expect(newSnapshotsIn(split)).toEqual([0]);
}

/** The ids of the brands of the removed workspace, and its own. */
async function removedIds(folder: string): Promise<string[]> {
  const [workspace] = (await readdir(join(folder, '.data/store-moved/workspaces'))).toSorted();
  const lines = (await readFile(join(folder, '.data/drop/brands.ndjson'), 'utf8')).trim().split('\n');
  const brands = lines.map((line) => JSON.parse(line) as { id: string; workspace_id: string });
  const own = brands.filter(({ workspace_id: owner }) => owner === workspace).map(({ id }) => id);
  expect(own).toHaveLength(2);
  return [...own, workspace!];
}

/** Asserts that nothing is left of the workspace but its id, and that the other one has all its snapshots. */
async function expectNothingOf([...ids]: readonly string[], folder: string): Promise<void> {
  const data = join(folder, '.data');
  expect(await keysWith(join(data, 'lake'), ids)).toEqual([]);
  const removed = ids.pop()!;
  const grep = promisify(execFile)('grep', ['-r', '-l', '-F', ...ids.flatMap((id) => ['-e', id]), 'store'], {
    cwd: data,
  });
  await expect(grep).rejects.toMatchObject({ code: 1, stdout: '' });
  const left = await filesBelow(join(data, 'store/workspaces', removed));
  expect(left).toEqual([expect.stringMatching(/\/histories\/[0-9a-f]{64}\.json$/)]);
  const other = (await readdir(join(data, 'store/workspaces'))).find((id) => id !== removed);
  const snapshotsIn = async (store: string) =>
    (await filesBelow(join(data, store, 'workspaces', other!, 'snapshots'))).map((file) =>
      relative(join(data, store), file),
    );
  expect(await snapshotsIn('store')).toEqual(await snapshotsIn('store-moved'));
}

const idsIn = (text: string) => text.match(/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}/g) ?? [];

/** The column `new` of each table that weekly printed. */
function newSnapshotsIn(text: string): number[] {
  const rows = text.matchAll(/^workspaces +brands +documents +bytes +new .*\n *\d+ +\d+ +\d+ +\d+ +(\d+) /gm);
  return [...rows].map(([, count]) => Number(count));
}

test('every command is on a page', async () => {
  const shown = [
    'README.md',
    'docs/tour.md',
    'docs/install.md',
    'docs/operations.md',
    'docs/procedures.md',
    'docs/schedule.md',
    'docs/ingest.md',
    'docs/importing.md',
    'docs/exporting.md',
  ]
    .map((path) => pageText(path))
    .join('\n');
  const commands = { job: 'jobs/cli.ts', records: 'gateway/records/commands/cli.ts' };
  for (const [name, program] of Object.entries(commands)) {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, program), '--help']);
    const [, list] = stdout.split('Commands:\n');
    const all = [...list!.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, command]) => command!);
    expect(all.length).toBeGreaterThan(3);
    const missing = all.filter((command) => command !== 'help' && !shown.includes(`${name} -- ${command}`));
    expect(missing).toEqual(name === 'job' ? ['recompute'] : []); // the auditor's rebuild runs it
  }
});
