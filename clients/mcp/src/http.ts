import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';

const MAX_BODY_BYTES = 100_000;

/**
 * A server for assistants that cannot start a process, at `/mcp`. It has no sessions and no key of its own: each
 * request has its caller's in `Authorization`. Browsers of other origins get nothing, since they do not know a key.
 */
export function httpServer(
  serverFor: (apiKey: string) => McpServer,
  onerror: (error: Error) => void,
): Server {
  const handler = createMcpHandler(({ requestInfo }) => serverFor(keyOf(requestInfo!.headers)!), {
    maxRequestBodySize: MAX_BODY_BYTES,
    maxSubscriptions: 0,
    onerror,
  });
  return createServer((request, response) => {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const answer = async () => {
      const asked = webRequest(request, leaving.signal);
      await send(refusalOf(asked) ?? (await handler.fetch(asked)), response);
    };
    answer().catch((error: Error) => {
      if (!leaving.signal.aborted) onerror(error);
      response.destroy();
    });
  });
}

function refusalOf({ url, headers }: Request): Response | null {
  if (new URL(url).pathname !== '/mcp') return refuse(404, 'not_found', 'The server is at /mcp.');
  if (keyOf(headers) !== null) return null;
  const message = 'Send the key of your workspace as Authorization: Bearer vis_…';
  return refuse(401, 'missing_key', message, { 'www-authenticate': 'Bearer' });
}

function refuse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message } }, { status, headers });
}

/** Null if there is none, or if it is not in the form of a key. */
function keyOf(headers: Headers): string | null {
  return /^Bearer +(vis_[0-9a-f]{48})$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = request;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // A path that begins with // would be read as a host.
  return new Request(new URL(url.replace(/^\/+/, '/'), 'http://localhost'), {
    method,
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body as never), response);
}
