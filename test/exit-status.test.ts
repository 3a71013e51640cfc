/**
 * @module-tag long
 * @module-tag black-box
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateKeyPairSync } from 'node:crypto';
import { ORIGIN } from './adapters/publish.ts';
import { freePort } from './support/free-port.ts';
import { temporaryFolder } from './support/folder.ts';
import { runProgram } from './support/program.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const workspace = '786adf6f-be83-4013-a45b-2ecfa7c1bc77';

/** Settings with which nothing can be reached: no server listens on these ports. */
async function settingsOfNowhere(folder: string): Promise<Record<string, string>> {
  return {
    S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
    LAKE_URL: 's3://nowhere/lake',
    STORE_URL: 's3://nowhere/store',
    RECORDS_URL: `postgres://user@127.0.0.1:${await freePort()}/sightline`,
    HOME: folder,
    LOG_ORIGIN: ORIGIN,
    SIGNING_KEY: privateKey,
    PUBLIC_KEY: publicKey,
  };
}

describe('a command that cannot reach the lake, the store or the records exits with status 3', () => {
  test.each([
    ['ingest', 'jobs/cli.ts', 'ingest', '--from', 'DROP'],
    ['weekly', 'jobs/cli.ts', 'weekly'],
    ['weekly of one workspace', 'jobs/cli.ts', 'weekly', '--workspace', workspace],
    ['export', 'jobs/cli.ts', 'export', '--to', 'OUT', '--format', 'csv'],
    ['list', 'snapshots/cli.ts', 'list'],
    ['verify', 'snapshots/cli.ts', 'verify'],
    [
      'workspace set',
      'gateway/records/commands/cli.ts',
      ...`workspace set ${workspace} --name A --plan scale`.split(' '),
    ],
    ['key list', 'gateway/records/commands/cli.ts', 'key', 'list', workspace],
    ['migrate', 'gateway/records/commands/cli.ts', 'migrate'],
    ['the gateway', 'gateway/main.ts'],
    ['the doctor', 'infra/doctor/cli.ts'],
  ])('%s', async (_, program, ...words) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'drop'));
    await writeFile(join(folder, 'drop/runs.ndjson'), '{}\n');
    const args = words.map(
      (word) => ({ DROP: join(folder, 'drop'), OUT: join(folder, 'out') })[word] ?? word,
    );
    const ended = await runProgram(program, args, await settingsOfNowhere(folder));
    // The doctor prints its findings instead.
    expect(ended).toMatchObject({ status: 3 });
    expect(ended.stderr).toMatch(/^(?:sightline: [^\n]+\n)?$/);
  });

  test('the gateway, if only the records cannot be reached', async () => {
    const folder = await temporaryFolder();
    const settings = { ...(await settingsOfNowhere(folder)), STORE_URL: folder };
    const ended = await runProgram('gateway/main.ts', [], settings);
    expect(ended).toMatchObject({ status: 3, stdout: '' });
    expect(ended.stderr).toMatch(/^sightline: records in PostgreSQL at [^\n]+ECONNREFUSED[^\n]+\n$/);
  });
});
