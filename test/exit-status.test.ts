/**
 * @module-tag long
 * @module-tag black-box
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateKeyPairSync } from 'node:crypto';
import { ORIGIN } from './adapters/publish.ts';
import { freePort } from './support/free-port.ts';
import { temporaryFolder } from './support/folder.ts';
import { runProgram } from './support/program.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const WORKSPACE = '786adf6f-be83-4013-a45b-2ecfa7c1bc77';

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

test.each([
  ['jobs/cli.ts', 'ingest --from FOLDER'],
  ['jobs/cli.ts', 'weekly'],
  ['jobs/cli.ts', 'export --to FOLDER/out --format csv'],
  ['snapshots/cli.ts', 'verify'],
  ['gateway/records/commands/cli.ts', `key list ${WORKSPACE}`],
  ['gateway/main.ts', ''],
  ['infra/doctor/cli.ts', ''],
])('%s %s exits with status 3 if lake, store or records cannot be reached', async (program, words) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'runs.ndjson'), '{}\n');
  const args = words.replace('FOLDER', folder).split(' ').filter(Boolean);
  const ended = await runProgram(program, args, await settingsOfNowhere(folder));
  expect(ended).toMatchObject({ status: 3 });
  // The doctor prints its findings instead.
  expect(ended.stderr).toMatch(/^(?:sightline: [^\n]+\n)?$/);
});

test('the gateway exits with status 3 if only the records cannot be reached', async () => {
  const folder = await temporaryFolder();
  const settings = { ...(await settingsOfNowhere(folder)), STORE_URL: folder };
  const ended = await runProgram('gateway/main.ts', [], settings);
  expect(ended).toMatchObject({ status: 3, stdout: '' });
  expect(ended.stderr).toMatch(/^sightline: records in PostgreSQL at [^\n]+ECONNREFUSED[^\n]+\n$/);
});
