import type { IncomingHttpHeaders } from 'node:http';
import { startServer } from '../support/http-server.ts';

/** A server that redirects every request to another one; `received`: the headers that the other one got. */
export async function startRedirect(): Promise<{ base: string; received: IncomingHttpHeaders[] }> {
  const received: IncomingHttpHeaders[] = [];
  const other = await startServer(({ headers }, response) => {
    received.push(headers);
    response.writeHead(401).end('{"error":{"code":"missing_key","message":"no key"}}');
  });
  const base = await startServer(({ url }, response) => {
    response.writeHead(302, { location: other + url }).end();
  });
  return { base, received };
}
