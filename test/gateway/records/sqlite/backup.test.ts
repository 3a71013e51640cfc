/** @module-tag slow */
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ORIGIN } from '../../../adapters/publish.ts';
import { makeServed, workspaceId } from '../../../adapters/read-over-http.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { runHere } from '../../../support/command-line.ts';
import { startGatewayProcess } from '../../../support/program.ts';

const records = async (file: string, ...args: string[]) =>
  (await runHere('records', args, { settings: { RECORDS_URL: `sqlite:${file}` } })).stdout.trim();

/** Backups that are refused: commands/session.txt. */
test('a backup of a busy gateway is complete, for its owner only, and in the place of the records it admits the keys of its time', async () => {
  const folder = await temporaryFolder();
  const [path, to] = [join(folder, 'records.db'), join(folder, 'copy.db')];
  const { key: old, settings } = await makeServed(folder, 1_000_000);
  const startGateway = async () => {
    const gateway = await startGatewayProcess(settings);
    const ask = async (key: string) =>
      (await fetch(`${gateway.url}/api/v1/brands`, { headers: { 'x-api-key': key } })).status;
    return { ...gateway, ask };
  };
  const revoked = await records(path, 'key', 'create', workspaceId);
  await records(path, 'key', 'revoke', revoked.slice(0, 12));
  const busy = await startGateway();
  const enough = new AbortController();
  const asking = Array.from({ length: 4 }, async () => {
    while (!enough.signal.aborted) await busy.ask(old);
  });
  const made = await records(path, 'backup', '--to', to, '--json');
  enough.abort();
  await Promise.all(asking);
  expect(JSON.parse(made)).toMatchObject({ path: to, workspaces: 1, keys: 2 });
  expect(statSync(to).mode & 0o777).toBe(0o600);
  const remembered = await records(to, 'log', 'show', '--json');
  expect(JSON.parse(remembered)).toMatchObject([{ origin: ORIGIN, size: 2 }]);
  const later = await records(path, 'key', 'create', workspaceId);
  busy.child.kill('SIGTERM');
  await busy.ended;
  copyFileSync(to, path);
  const { ask } = await startGateway();
  expect([await ask(old), await ask(revoked), await ask(later)]).toEqual([200, 401, 401]);
});
