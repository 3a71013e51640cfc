/**
 * How fast 10,000 documents of 5 KB are published to S3, and how fast the server takes them from a client that does
 * nothing else (no signatures, no checksums), with and without the condition: `node test/bench/publish-s3.ts [DOCUMENTS]`.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import pMap from 'p-map';
import { publishSnapshot } from '../../snapshots/publish.ts';
import { publicationOf } from '../snapshots/publication.ts';
import { makeBucket } from '../support/s3-server.ts';

const DOCUMENTS = Number(process.argv[2] ?? 10_000);
const AT_ONCE = 32;

const bucket = await makeBucket({ isPublic: true });
const contents = Array.from({ length: DOCUMENTS }, () => randomBytes(2500).toString('hex'));

async function put(agent: Agent, key: string, body: string, isOnce: boolean): Promise<void> {
  const condition = isOnce ? { 'if-none-match': '*' } : {};
  const headers = { 'content-length': body.length, ...condition };
  const url = `${bucket.settings.endpoint!}/${bucket.name}/${key}`;
  const outgoing = request(url, { method: 'PUT', agent, headers }).end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 200) throw new Error(`PUT ${url}: ${response.statusCode}`);
}

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const rate = Math.round(DOCUMENTS / seconds);
  const busy = ((user + system) / 1e6).toFixed(1);
  process.stdout.write(`${name}: ${rate} objects/s (${seconds.toFixed(1)} s, ${busy} s of CPU here)\n`);
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const raw = (prefix: string, isOnce: boolean) => () =>
  pMap(contents, (content, index) => put(agent, `${prefix}/${index}`, content, isOnce), {
    concurrency: AT_ONCE,
  });

const one = publicationOf(1, { brands: DOCUMENTS / 5 });
const large = {
  ...one,
  documents: one.documents.map(({ path }, n) => ({ path, bytes: Buffer.from(contents[n] ?? '') })),
};
large.documents = large.documents.filter(({ bytes }) => bytes.length > 0);

for (const round of [1, 2]) {
  await measure('the server alone', raw(`raw-${round}`, false));
  await measure('the server alone, If-None-Match', raw(`once-${round}`, true));
  const store = bucket.store(`published-${round}`);
  await measure('publishSnapshot', () => publishSnapshot(store, large));
  await measure('publishSnapshot, nothing new', () => publishSnapshot(store, large));
}
agent.destroy();
await bucket.remove();
