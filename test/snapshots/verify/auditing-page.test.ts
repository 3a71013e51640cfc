/** @module-tag long */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { noteKinds, problemKinds } from '../../../snapshots/verify/findings.ts';
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
  expect(commands).toEqual(expect.arrayContaining(['list', 'verify', 'diff', 'report', 'rebuild', 'prune']));
  const shown = blocks.join('\n');
  const missing = commands.filter((name) => name !== 'help' && !shown.includes(`audit -- ${name}`));
  expect(missing).toEqual([]);
});

test('the page lists every kind of finding, as the command explains it', async () => {
  const page = await readFile(join(root, 'docs/auditing.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\| (.*?) +\|$/gm)].map((row) => row.slice(1));
  const kinds = Object.entries({ ...problemKinds, ...noteKinds });
  expect(rows).toEqual(kinds.map(([kind, { meaning, remedy }]) => [kind, meaning, remedy]));
});

test('every command on the page does what the page says, in its order', async () => {
  const folder = await emptyClone();
  const { STORE_URL: _store, LAKE_URL: _lake, ...environment } = process.env;
  const script = blocks.map((block, index) => `echo "=== ${index}"\n${block}`).join('\n');
  await writeFile(join(folder, 'page.sh'), script);
  const { stdout } = await run('bash', ['-euo', 'pipefail', 'page.sh'], {
    cwd: folder,
    env: environment,
    maxBuffer: 1 << 26,
  });
  const outputs = stdout.split(/^=== \d+$/m).slice(1);
  expect(outputs).toHaveLength(blocks.length);
  const outputOf = (wanted: string) => outputs[blocks.findIndex((block) => block.includes(wanted))]!;

  expect(outputOf('audit -- list').match(/ (?:valid|vouched)/g)).toHaveLength(4);
  expect(outputOf('audit -- show')).toContain('{"data":[{"id":');
  expect(outputOf('verify --as-of 2026-11-09').match(/^Intact\.$/gm)).toHaveLength(2);
  expect(outputOf('--state').match(/^Intact\.$/gm)).toHaveLength(2);
  expect(outputOf('audit -- rebuild').match(/: same, 13 documents/g)).toHaveLength(5);
  const byHand = outputOf('openssl pkeyutl');
  expect(byHand.match(/manifest\.json: OK/g)).toHaveLength(4);
  expect(byHand.match(/Signature Verified Successfully/g)).toHaveLength(4);
  const state = JSON.parse(await readFile(join(folder, '.data/state/verify.json'), 'utf8')) as {
    heads: unknown[];
  };
  expect(state.heads).toHaveLength(1);
  expect(outputOf('audit -- prune')).toMatch(/Would remove 2 snapshots,[^]*Removed 2 snapshots,[^]*Intact\./);
  expect(outputOf('harmed')).toMatch(/^altered \(since 2026-[^]*competitors\.json[^]*Not intact: 1 problem/m);
  for (const page of ['diff.html', 'report.html']) {
    expect((await stat(join(folder, '.data', page))).size).toBeGreaterThan(2000);
  }
});
