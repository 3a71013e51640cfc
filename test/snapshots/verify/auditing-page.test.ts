/** @module-tag long */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { diffOutput } from '../../../snapshots/audit/output.ts';
import { noteKinds } from '../../../snapshots/verify/findings.ts';
import { programEnvironment } from '../../support/environment.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = join(import.meta.dirname, '../../..');
const text = readFileSync(join(root, 'docs/auditing.md'), 'utf8');
const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!);

test('every kind of note is on the page', () => {
  const rows = [...text.matchAll(/^\| `([a-z_]+)` +\| (.*?) +\| (.*?) +\|$/gm)];
  expect(rows.map(([, kind]) => kind)).toEqual(noteKinds);
});

test('every command on the page does what the page says, in its order', async () => {
  const folder = await temporaryFolder();
  for (const name of ['package.json', 'node_modules', 'lib', 'snapshots', 'jobs', 'docs'])
    await symlink(join(root, name), join(folder, name));
  const script = blocks.map((block, index) => `echo "=== ${index}"\n${block}`).join('\n');
  await writeFile(join(folder, 'page.sh'), script);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', 'page.sh'], {
    cwd: folder,
    env: { ...programEnvironment(), HOME: folder },
    maxBuffer: 1 << 26,
  });
  const outputs = stdout.split(/^=== \d+$/m).slice(1);
  expect(outputs).toHaveLength(blocks.length);
  const outputOf = (wanted: string) => outputs[blocks.findIndex((block) => block.includes(wanted))]!;

  expect(outputOf('audit list').match(/20261(?:102|109|116)T120000/g)).toHaveLength(3);
  expect(outputOf('audit show')).toMatch(/^\{"data":\[\{"id":[^]*^document +bytes +sha256\nbrands\.json /m);
  expect(outputOf('verify --as-of 2026-11-09').match(/^Intact[.,]/gm)).toHaveLength(2);
  expect(outputOf('audit rebuild').match(/: same, 27 documents/g)).toHaveLength(4);
  expect(outputOf('verify.py')).toMatch(/^3 snapshots of 1 workspaces, 81 documents\nIntact\.$/m);
  expect(outputOf('audit diff')).toMatch(
    /^\d+ [^\n]* within noise, [^]*^--all lists every changed value\.$/m,
  );
  const proof = await readFile(join(folder, '.data/week.tlog-proof'), 'utf8');
  expect(proof).toMatch(/^c2sp\.org\/tlog-proof@v1\n/);
  expect(outputOf('log key')).toMatch(/^Intact\.$[^]*^sightline\.local\/log\+[0-9a-f]{8}\+\S+$/m);
  expect(outputOf('log-2')).toMatch(/^log sightline\.local\/log-2: [^]*^Intact\.$/m);
  expect(outputOf('audit prune')).toMatch(/Would remove 1 snapshot,[^]*Removed 1 snapshot,[^]*Intact\./);
  expect(outputOf('--reason mistaken')).toMatch(/ mistaken\n[^\n]* current\n[^\n]* pruned\n/);
  expect(outputOf('audit rotate')).toMatch(/signed with both keys\.[^]*\nIntact\./);
  const state = await readFile(join(folder, '.data/state/checkpoint'), 'utf8');
  expect(state).toMatch(/^sightline\.local\/log\n11\n/);
  const diff = JSON.parse(await readFile(join(folder, '.data/diff.json'), 'utf8')) as unknown;
  expect(diffOutput.safeParse(diff).error?.issues).toBeUndefined();
  expect(outputOf('harmed')).toMatch(/^altered: [^\n]*competitors\.json[^]*Not intact: 1 problem/m);
});
