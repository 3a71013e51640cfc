/** @module-tag long */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { readCheckpoint, readEntries } from '../../snapshots/log/read.ts';
import { runHere } from '../support/command-line.ts';
import { temporaryFolders } from '../support/folder.ts';
import { root } from './pages.ts';
import { jsonSchemas } from './schemas.ts';

const folder = await temporaryFolders()();
let weeks: string[];

async function run(name: 'job' | 'audit', ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runHere(name, args, { folder });
  expect({ args, status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

/** Three weeks of the demo. */
beforeAll(async () => {
  await run('job', 'demo', '--to', 'drop', '--workspaces', '1', '--brands', '2', '--cycles', '12');
  await run('job', 'ingest', '--from', 'drop', '--date', '2026-10-01');
  const days = ['2026-11-02', '2026-11-09', '2026-11-16'];
  weeks = [];
  for (const day of days) weeks.push(await run('job', 'weekly', '--as-of', `${day}T12:00:00Z`, '--json'));
});

test('docs/schemas has the schemas of the code (npm run docs)', async () => {
  expect((await readdir(join(root, 'docs/schemas'))).toSorted()).toEqual(Object.keys(jsonSchemas).toSorted());
  for (const [file, schema] of Object.entries(jsonSchemas))
    expect({
      [file]: JSON.parse(await readFile(join(root, 'docs/schemas', file), 'utf8')) as unknown,
    }).toEqual({
      [file]: schema,
    });
});

/** Whether a schema accepts a text, and refuses it with another field. */
function verdicts(file: string, text: string): boolean[] {
  const schema = z.fromJSONSchema(jsonSchemas[file]!);
  const value = JSON.parse(text) as object;
  const found = schema.safeParse(value);
  expect(found.error?.issues, `${file}: ${text.slice(0, 200)}`).toBeUndefined();
  return [found.success, schema.safeParse({ ...value, other: 1 }).success];
}

test('each schema accepts what its command prints, and no other field', async () => {
  const [{ snapshots }] = [
    JSON.parse(weeks[0]!) as { snapshots: { workspaceId: string; snapshotId: string }[] },
  ];
  const { workspaceId, snapshotId } = snapshots[0]!;
  const withdrawal = ['--workspace', workspaceId, '--reason', 'mistaken'];
  const diff = await run('audit', 'diff', 'previous', 'current', '--json');
  await run('audit', 'withdraw', snapshotId, ...withdrawal);
  const verify = await run('audit', 'verify', '--json');
  const list = await run('audit', 'list', '--json');
  expect([diff, verify, list].join('')).toMatch(/"pointer":[^]*"notes":\[\{[^]*"withdrawn":\{/);
  const outputs = { 'diff.json': diff, 'list.json': list, 'verify.json': verify };
  for (const [file, text] of Object.entries(outputs)) expect(verdicts(file, text)).toEqual([true, false]);
  for (const text of weeks) expect(verdicts('weekly.json', text)).toEqual([true, false]);
  const below = join(folder, '.data/store/workspaces', workspaceId, 'snapshots', snapshotId);
  const manifest = (await readdir(below)).find((name) => name.endsWith('.manifest.json'))!;
  expect(verdicts('manifest.json', await readFile(join(below, manifest), 'utf8'))).toEqual([true, false]);
  const store = directoryStore(join(folder, '.data/store'));
  const { size } = (await readCheckpoint(store))!;
  const entries = await Array.fromAsync(readEntries(store, size));
  const kinds = entries.map(({ bytes }) => {
    expect(verdicts('log-entry.json', bytes.toString())).toEqual([true, false]);
    return (JSON.parse(bytes.toString()) as { kind: string }).kind;
  });
  expect(new Set(kinds)).toEqual(new Set(['published', 'heads', 'withdrawn']));
});
