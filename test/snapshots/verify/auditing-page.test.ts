/** @module-tag long */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { noteKinds } from '../../../snapshots/verify/findings.ts';
import { programEnvironment } from '../../support/environment.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const text = readFileSync(join(root, 'docs/auditing.md'), 'utf8');
const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);

/** A folder in which the project's commands run as in a clone, with nothing in `.data`. */
async function emptyClone(): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ['package.json', 'node_modules', 'lib', 'snapshots', 'jobs', 'docs']) {
    await symlink(join(root, name), join(folder, name));
  }
  return folder;
}

test('every command of the auditor is on the page', async () => {
  const { stdout } = await run(process.execPath, [join(root, 'snapshots/cli.ts'), '--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) (?:\[|<)/gm)].map(([, name]) => name!);
  expect(commands).toEqual(expect.arrayContaining(['list', 'verify', 'withdraw', 'rotate']));
  const shown = blocks.join('\n');
  const missing = commands.filter((name) => name !== 'help' && !shown.includes(`sightline audit ${name}`));
  expect(missing).toEqual([]);
});

test('the page lists every kind of note', () => {
  const rows = [...text.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\| (.*?) +\|$/gm)];
  expect(rows.map(([, kind]) => kind)).toEqual(noteKinds);
});

test('every command on the page does what the page says, in its order', async () => {
  const folder = await emptyClone();

  const script = blocks.map((block, index) => `echo "=== ${index}"\n${block}`).join('\n');
  await writeFile(join(folder, 'page.sh'), script);
  const { stdout } = await run('bash', ['-euo', 'pipefail', 'page.sh'], {
    cwd: folder,
    env: { ...programEnvironment(), HOME: folder },
    maxBuffer: 1 << 26,
  });
  const outputs = stdout.split(/^=== \d+$/m).slice(1);
  expect(outputs).toHaveLength(blocks.length);
  const outputOf = (wanted: string) => outputs[blocks.findIndex((block) => block.includes(wanted))]!;

  expect(outputOf('audit list').match(/20261(?:026|102|109|116)T120000/g)).toHaveLength(4);
  expect(outputOf('audit show')).toContain('{"data":[{"id":');
  expect(outputOf('verify --as-of 2026-11-09').match(/^Intact[.,]/gm)).toHaveLength(2);
  expect(outputOf('audit rebuild').match(/: same, 27 documents/g)).toHaveLength(5);
  expect(outputOf('verify.py')).toMatch(/^4 snapshots of 1 workspaces, 108 documents\nIntact\.$/m);
  expect(await readFile(join(folder, '.data/week.tlog-proof'), 'utf8')).toMatch(
    /^c2sp\.org\/tlog-proof@v1\n/,
  );
  expect(outputOf('log key')).toMatch(/^Intact\.$[^]*^sightline\.local\/log\+[0-9a-f]{8}\+\S+$/m);
  expect(outputOf('log-2')).toMatch(/^log sightline\.local\/log-2: [^]*^Intact\.$/m);
  expect(outputOf('audit prune')).toMatch(/Would remove 2 snapshots,[^]*Removed 2 snapshots,[^]*Intact\./);
  expect(outputOf('--reason mistaken')).toMatch(/ mistaken\n[^\n]* current\n[^\n]* pruned\n[^\n]* pruned\n/);
  expect(outputOf('audit rotate')).toMatch(/signed with both keys\.[^]*\nIntact\./);
  const state = await readFile(join(folder, '.data/state/checkpoint'), 'utf8');
  expect(state).toMatch(/^sightline\.local\/log\n14\n/);
  expect(outputOf('harmed')).toMatch(/^altered: [^\n]*competitors\.json[^]*Not intact: 1 problem/m);
});
