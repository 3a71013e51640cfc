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
  ['gateway/main.ts', ''],
])('%s %s exits with status 3 if lake, store or records cannot be reached', async (program, words) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'runs.ndjson'), '{}\n');
  const args = words.replace('FOLDER', folder).split(' ').filter(Boolean);
  const ended = await runProgram(program, args, await settingsOfNowhere(folder));
  expect(ended).toMatchObject({ status: 3 });
  expect(ended.stderr).toMatch(/^sightline: [^\n]+\n$/);
});
