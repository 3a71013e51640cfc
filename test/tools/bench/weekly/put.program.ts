import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import pMap from 'p-map';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';

/**
 * `FROM URL`: puts every object of a store below the URL of a public bucket, without signatures and checksums: as fast
 * as the server accepts them.
 */
const [from, to] = process.argv.slice(2) as [string, string];
const AT_ONCE = 32;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

async function put(key: string): Promise<void> {
  const bytes = await readFile(`${from}/${key}`);
  const headers = { 'content-length': bytes.length, 'if-none-match': '*' };
  const outgoing = request(`${to}/${key}`, { method: 'PUT', agent, headers }).end(bytes);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.resume();
  if (response.statusCode !== 200) throw new Error(`PUT ${to}/${key}: ${response.statusCode}`);
}

await pMap(directoryStore(from).list(''), ({ key }) => put(key), { concurrency: AT_ONCE });
agent.destroy();
