import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { until } from '../../../support/until.ts';
import type { Fixture } from './fixture.ts';

/** The gateway with records in SQLite and in PostgreSQL. */
export const gateways = ['sqlite', 'postgres'] as const;
export type Server = 'bare' | (typeof gateways)[number];

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { gateway: string } };

/** Starts a server, works with its URL once it returns the expected document, and stops it. */
export async function serving<T>(
  server: Server,
  { folder, settings, recordsUrls, key, path, body }: Fixture,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const isBare = server === 'bare';
  const child = spawn('sh', ['-c', isBare ? 'exec node test/tools/bench/gateway/bare.ts' : scripts.gateway], {
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_ENV: 'production',
      PORT: String(port),
      ...(isBare
        ? { BODY: join(folder, 'body.json') }
        : { ...settings, RECORDS_URL: recordsUrls[server], METRICS_PORT: '0', DRAIN_SECONDS: '0' }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const url = `http://127.0.0.1:${port}${path}`;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${server} ended with status ${child.exitCode}`);
      const answer = await fetch(url, { headers: { 'x-api-key': key } }).catch(() => null);
      return answer?.status === 200 && body.equals(Buffer.from(await answer.arrayBuffer()));
    }, `${url} returns the document`);
    return await work(url);
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
