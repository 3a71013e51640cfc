import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

async function start(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that redirects every request to another one; `received` has the headers that the other one got. */
export async function startRedirect(): Promise<{ base: string; received: IncomingHttpHeaders[] }> {
  const received: IncomingHttpHeaders[] = [];
  const other = await start(({ headers }, response) => {
    received.push(headers);
    response.writeHead(401).end('{"error":{"code":"missing_key","message":"no key"}}');
  });
  const base = await start(({ url }, response) => {
    response.writeHead(302, { location: other + url }).end();
  });
  return { base, received };
}
