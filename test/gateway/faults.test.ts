/** @module-tag black-box */
import { readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acme, testLog } from '../adapters/publish.ts';
import { countOf, everyPathOf, newKey, openRecordsInPostgres } from '../adapters/read-over-http.ts';
import { otherWorkspaceId, setPlan, settingsOf } from '../adapters/read-over-http.ts';
import { startListeningGateway, startPostgres, workspaceId } from '../adapters/read-over-http.ts';
import type { ListeningGateway, TestPostgres } from '../adapters/read-over-http.ts';
import { ask, bearer } from './ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startGatewayProcess } from '../support/program.ts';
import { until } from '../support/until.ts';

const BRANDS = '/api/v1/brands';
const MAX_WAIT_MS = 500;

let gateway: ListeningGateway;
let base: string;
let key: string;

async function serve(started: Promise<ListeningGateway>): Promise<void> {
  gateway = await started;
  ({ base, key } = gateway);
  expect(await statusOf(BRANDS)).toBe(200);
}

const statusOf = async (path: string) => (await ask(base, path, { headers: bearer(key) })).status;

/** Sends requests until one succeeds; the test's timeout is the limit. */
async function untilServing(): Promise<void> {
  while ((await statusOf(BRANDS)) !== 200) await new Promise(setImmediate);
}

/** No request is admitted without a response of the database: known and unknown keys get 500 on every path, never 200. */
async function expectNobodyAdmitted(): Promise<void> {
  const paths = [...everyPathOf(acme.id, 'none'), '/', '/nowhere'];
  const statusWith = async (path: string, sent: string) =>
    (await ask(base, path, { headers: bearer(sent) })).status;
  const answers = await Promise.all(
    paths.flatMap((path) => [key, newKey()].map((sent) => statusWith(path, sent))),
  );
  expect(new Set(answers)).toEqual(new Set([500]));
  expect((await ask(base, BRANDS)).status).toBe(401); // without a key the database is not needed
}

describe.skipIf(platform() === 'win32')('PostgreSQL', () => {
  let server: TestPostgres;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const log = await testLog(await temporaryFolder());
    const records = await openRecordsInPostgres(await server.createDatabase(), MAX_WAIT_MS);
    const limits = { maxWaitMs: MAX_WAIT_MS, longestQueue: 50 };
    await serve(startListeningGateway(undefined, { log, records, ...limits }));
  });
  afterEach(() => gateway.close());

  test('that is killed: no request is admitted, and all are once it is back, without a restart of the gateway', async () => {
    process.kill(server.pid(), 'SIGKILL');
    while ((await statusOf(BRANDS)) === 200) await new Promise(setImmediate);
    await expectNobodyAdmitted();
    await server.restart();
    await untilServing();
  });

  test(
    'that is killed right after its responses has forgotten less than a tenth of an allowance',
    { tags: ['long'] },
    async () => {
      await setPlan(gateway.records, workspaceId, 'agency', 60);
      for (;;) {
        const minutes = new Set<unknown>();
        for (let sent = 0; sent < 57; sent += 1)
          minutes.add((await ask(base, BRANDS, { headers: bearer(key) })).headers['x-ratelimit-reset']);
        process.kill(server.pid(), 'SIGKILL');
        await server.restart();
        await untilServing();
        const { used, minuteEnds } = await countOf(gateway.records, key);
        if (minutes.add(String(minuteEnds)).size > 1) continue; // a minute has ended in between
        expect(used).toBeGreaterThan(58 - 60 / 10); // with the one after
        return;
      }
    },
  );

  test.skipIf(platform() !== 'linux')(
    'that hangs: requests time out, a gateway can be stopped, and requests are served again when it continues',
    async () => {
      const running = await startGatewayProcess({
        ...settingsOf(gateway.log),
        RECORDS_URL: `postgres://sightline:secret@${gateway.records.name}`,
      });
      const status = async () => (await ask(running.url, BRANDS, { headers: bearer(key) })).status;
      expect(await status()).toBe(200); // its connections are open now
      await whileHanging(server, async () => {
        await expectNobodyAdmitted();
        // More requests than fit into the queue: all get a response.
        const answers = await Promise.all(Array.from({ length: 150 }, () => statusOf(BRANDS)));
        expect(new Set(answers)).toEqual(new Set([500]));
        running.child.kill('SIGTERM');
        expect(await running.ended).toBe(0);
      });
      await untilServing();
    },
  );
});

test('a store that vanishes: documents in memory are served, others are 500, and all are served when it is back', async () => {
  const log = await testLog(await temporaryFolder());
  const store = join(log.root, 'store');
  await serve(startListeningGateway(undefined, { log }));
  const [warm, cold] = [`${BRANDS}/${acme.id}/visibility`, `${BRANDS}/${acme.id}/sources`];
  expect(await statusOf(warm)).toBe(200);
  await rename(store, `${store}-away`);
  await gateway.documents.refresh();
  expect([await statusOf(BRANDS), await statusOf(warm), await statusOf(cold)]).toEqual([200, 200, 500]);
  const refused = await ask(base, cold, { headers: bearer(key) });
  expect(JSON.parse(refused.text)).toEqual({
    error: { code: 'internal', message: 'The service failed. Try again with backoff.' },
  });
  for (const name of ['x-ratelimit-limit', 'etag', 'x-snapshot-id'])
    expect(refused.headers[name]).toBeUndefined();
  const other = bearer(await gateway.createKey(otherWorkspaceId));
  const ofOther = async () => (await ask(base, BRANDS, { headers: other })).status;
  expect(await ofOther()).toBe(500);
  expect(gateway.observed.kept).toHaveLength(1);
  await rename(`${store}-away`, store);
  expect([await statusOf(cold), await ofOther()]).toEqual([200, 200]);
  await gateway.close();
});

/** Stops all processes of the server while `work` runs. */
async function whileHanging(server: TestPostgres, work: () => Promise<void>): Promise<void> {
  // First the postmaster: without it no process begins, and the pid of one that ends stays taken.
  const postmaster = server.pid();
  process.kill(postmaster, 'SIGSTOP');
  await until(() => statOf(postmaster)?.state === 'T');
  const children = childrenOf(postmaster);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    for (const pid of [...children, postmaster]) process.kill(pid, 'SIGCONT');
  }
}

/** The state and the parent of a process; null if it has ended. */
function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: state!, parent: Number(parent) };
  } catch {
    return null;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.parent === parent);
}
