/** @module-tag slow */
import { copyFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { ORIGIN } from '../../../adapters/publish.ts';
import { makeServed, workspaceId } from '../../../adapters/read-over-http.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { runHere } from '../../../support/command-line.ts';
import { startGatewayProcess } from '../../../support/program.ts';

let folder: string;
/** The records file. */
let path: string;
let to: string;
let served: Awaited<ReturnType<typeof makeServed>>;
beforeEach(async () => {
  folder = await temporaryFolder();
  [path, to] = [join(folder, 'records.db'), join(folder, 'copy.db')];
  served = await makeServed(folder, 1_000_000);
});

const runOn = async (url: string, ...args: string[]) =>
  await runHere('records', args, { settings: { RECORDS_URL: url } });
const records = async (...args: string[]) => await runOn(`sqlite:${path}`, ...args);
const newKey = async () => (await records('key', 'create', workspaceId)).stdout.trim();
const copies = () => readdirSync(folder).filter((name) => name.startsWith('copy'));

test('a backup of a busy gateway is complete, for its owner only, and in the place of the records it admits the keys of its time', async () => {
  const startGateway = async () => {
    const gateway = await startGatewayProcess(served.settings);
    const ask = async (key: string) =>
      (await fetch(`${gateway.url}/api/v1/brands`, { headers: { 'x-api-key': key } })).status;
    return { ...gateway, ask };
  };
  const [old, revoked] = [served.key, await newKey()];
  await records('key', 'revoke', revoked.slice(0, 12));
  const busy = await startGateway();
  const enough = new AbortController();
  const asking = Array.from({ length: 4 }, async () => {
    while (!enough.signal.aborted) await busy.ask(old);
  });
  const made = await records('backup', '--to', to, '--json');
  enough.abort();
  await Promise.all(asking);
  expect(made.stderr).toBe('');
  expect(JSON.parse(made.stdout)).toMatchObject({ path: to, workspaces: 1, keys: 2 });
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(copies()).toEqual(['copy.db']);
  const remembered = await runOn(`sqlite:${to}`, 'log', 'show', '--json');
  expect(JSON.parse(remembered.stdout)).toMatchObject([{ origin: ORIGIN, size: 2 }]);
  const later = await newKey();
  busy.child.kill('SIGTERM');
  await busy.ended;
  copyFileSync(to, path);
  const { ask } = await startGateway();
  expect([await ask(old), await ask(revoked), await ask(later)]).toEqual([200, 401, 401]);
});

/** A row that violates a rule of the schema. */
function damage(): void {
  const database = new DatabaseSync(path, { defensive: false });
  database.exec('pragma writable_schema = on');
  database.exec("update sqlite_schema set sql = replace(sql, 'label text', 'label text not null')");
  database.close();
}

const spoilt: Record<string, () => unknown> = {
  'database disk image is malformed': () => truncateSync(path, statSync(path).size - 4096),
  'is damaged': damage,
  'made by a newer version': () => new DatabaseSync(path).exec('pragma user_version = 99'),
  'does not exist': () => rmSync(path),
};
test.each(Object.entries(spoilt))(
  'a backup of spoilt records is refused, and no file is written: %s',
  async (said, spoil) => {
    spoil();
    const { status, stderr } = await records('backup', '--to', to);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^sightline: records file [^\n]*\n$/);
    expect(stderr).toContain(said);
    expect(copies()).toEqual([]);
  },
);

const refused = (line: string) => ({ status: 1, stdout: '', stderr: `sightline: ${line}\n` });

test('a backup to an existing file, which stays, or of PostgreSQL, is refused', async () => {
  writeFileSync(to, 'mine');
  const there = refused(`${to} already exists; a backup never replaces a file`);
  expect(await records('backup', '--to', to)).toEqual(there);
  expect(statSync(to).size).toBe(4);
  const postgres = refused('RECORDS_URL is not sqlite:PATH; pg_dump backs up PostgreSQL');
  expect(await runOn('postgres://127.0.0.1:1/none', 'backup', '--to', `${to}2`)).toEqual(postgres);
});
