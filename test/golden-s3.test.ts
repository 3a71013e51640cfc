import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../gateway/observe/log.ts';
import { openSqliteRecords } from '../gateway/records/sqlite/records.ts';
import { startGateway } from '../gateway/start-gateway.ts';
import { systemClock } from '../lib/clock.ts';
import { readConfig } from '../lib/config.ts';
import { documentKinds } from '../lib/documents/kinds.ts';
import { generateKeyPair } from '../snapshots/signing.ts';
import { ask, bearer } from './gateway/ask.ts';
import { createKey, setPlan } from './gateway/gateway.ts';
import { asOfCase, expectedText, goldenPath } from './golden/cases.ts';
import { ORIGIN } from './snapshots/publish.ts';
import { temporaryFolder } from './support/folder.ts';
import { describeS3, makeBucket } from './support/s3-server.ts';
import type { TestBucket } from './support/s3-server.ts';

const project = join(import.meta.dirname, '..');
const run = promisify(execFile);

const bodyOf = (data: unknown) => ({ status: 200, text: `${JSON.stringify({ data })}\n` });

type Expected = Record<string, Record<string, Record<string, unknown>>>;

describeS3('with store and lake in S3', () => {
  let bucket: TestBucket;
  let keys: Record<'SIGNING_KEY' | 'PUBLIC_KEY', string>;
  beforeAll(async () => {
    bucket = await makeBucket();
    const { privatePem, publicPem } = generateKeyPair();
    keys = { SIGNING_KEY: privatePem, PUBLIC_KEY: publicPem };
  });
  afterAll(() => bucket.remove());

  const url = (prefix: string) => bucket.location(prefix).url;

  async function command(program: string, ...args: string[]): Promise<Record<string, unknown>> {
    const environment = { ...process.env, ...bucket.environment, ...keys, LOG_ORIGIN: ORIGIN };
    const options = { cwd: project, env: environment };
    const { stdout } = await run(process.execPath, [program, ...args, '--json'], options);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  test('the commands ingest, publish and verify, and the gateway returns the expected bytes', async () => {
    const [lake, store] = [url('the/lake'), url('the/store')];
    const asOf = asOfCase('small');
    const ingest = ['ingest', '--from', goldenPath('small', 'drop'), '--lake', lake, '--date', '2026-11-16'];
    expect(await command('jobs/cli.ts', ...ingest)).toMatchObject({ delivery: 1, refusals: [] });
    expect(await command('jobs/cli.ts', ...ingest)).toMatchObject({ delivery: null });
    const weekly = ['weekly', '--lake', lake, '--store', store, '--as-of', asOf];
    const expected = JSON.parse(expectedText('small')) as Expected;
    const workspaces = Object.keys(expected);
    expect(await command('jobs/cli.ts', ...weekly)).toMatchObject({ new: workspaces.length });
    expect(await command('jobs/cli.ts', ...weekly)).toMatchObject({ unchanged: workspaces.length });
    const verified = await command('snapshots/cli.ts', 'verify', '--store', store);
    expect(verified).toMatchObject({ isIntact: true, checked: { snapshots: workspaces.length } });

    const { address, keys: apiKeys } = await gatewayOver(store, workspaces);
    for (const [workspaceId, { brands, week, ...documents }] of Object.entries(expected)) {
      const get = async (path: string) => {
        const headers = bearer(apiKeys.get(workspaceId)!);
        const { status, text } = await ask(address, `/api/v1${path}`, { headers });
        return { status, text };
      };
      expect(await get('/brands')).toEqual(bodyOf(brands));
      expect(await get('/week')).toEqual(bodyOf(week));
      for (const [brandId, data] of Object.entries(documents))
        for (const kind of documentKinds)
          expect(await get(`/brands/${brandId}/${kind}`)).toEqual(bodyOf(data[kind]));
    }
  });

  async function gatewayOver(store: string, workspaces: readonly string[]) {
    const path = join(await temporaryFolder(), 'records.db');
    const records = openSqliteRecords(path, { clock: systemClock });
    const apiKeys = new Map<string, string>();
    for (const id of workspaces) {
      await setPlan(records, id, 'agency', 1_000_000);
      apiKeys.set(id, await createKey(records, id));
    }
    await records.close();
    const settings = {
      STORE_URL: store,
      RECORDS_URL: `sqlite:${path}`,
      PORT: '0',
      METRICS_PORT: '0',
      DRAIN_SECONDS: '0',
    };
    const { PUBLIC_KEY } = keys;
    const config = readConfig({ ...bucket.environment, ...settings, PUBLIC_KEY, LOG_ORIGIN: ORIGIN });
    const gateway = await startGateway(config, createLog('silent'));
    onTestFinished(() => gateway.stop());
    return { address: gateway.url, keys: apiKeys };
  }

  test('a command that cannot reach the bucket reports it in one line and exits with 3', async () => {
    const failing = command('jobs/cli.ts', 'weekly', '--lake', 's3://sightline-no-such-bucket/x');
    await expect(failing).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^sightline: s3:\/\/sightline-no-such-bucket\/x\/.* cannot be read: the bucket does not exist at http.*\n$/,
      ) as string,
    });
  });
});
