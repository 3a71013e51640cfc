import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../gateway/observe/log.ts';
import { startGateway } from '../../gateway/start-gateway.ts';
import { readConfig } from '../../lib/config.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/until.ts';

let s3: Server;

/** An S3 server with an empty bucket. */
beforeEach(async () => {
  s3 = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const isList = request.url!.includes('list-type=2');
    response.writeHead(isList ? 200 : 404, { 'content-type': 'application/xml' });
    response.end(isList ? '<ListBucketResult/>' : '<Error><Code>NoSuchKey</Code></Error>');
  });
  s3.listen(0, '127.0.0.1');
  await once(s3, 'listening');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
});
afterEach(() => {
  vi.unstubAllEnvs();
  s3.closeAllConnections();
  s3.close();
});

test('a gateway that fails to start closes the store that it has opened', async () => {
  const records = join(await temporaryFolder(), 'records.db');
  await writeFile(records, 'no database at all, but a note that is long enough');
  const config = readConfig({
    STORE_URL: 's3://bucket',
    LOG_ORIGIN: 'sightline.example/log',
    S3_ENDPOINT: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
    S3_FORCE_PATH_STYLE: 'true',
    RECORDS_URL: `sqlite:${records}`,
    PORT: '0',
    METRICS_PORT: '0',
  });
  const connected = once(s3, 'connection');
  await expect(startGateway(config, createLog('silent'))).rejects.toThrow('records file');
  await connected;
  const connections = promisify(s3.getConnections.bind(s3));
  await until(async () => (await connections()) === 0);
});
