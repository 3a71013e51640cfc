import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Exchange {
  path: string;
  status: number;
  /** Of the response's body, as sent. */
  bytes: number;
}

/** A proxy between client and server that counts requests and bytes, and can be disconnected. */
export interface Wire {
  url: string;
  exchanges: Exchange[];
  /** Refuses new connections and breaks existing ones. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  close(): Promise<void>;
}

export async function startWire(target: string): Promise<Wire> {
  const exchanges: Exchange[] = [];
  const serve = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const outgoing = request(new URL(incoming.url!, target), { headers: incoming.headers }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const body = await buffer(response);
    exchanges.push({ path: incoming.url!, status: response.statusCode!, bytes: body.length });
    answer.writeHead(response.statusCode!, response.rawHeaders).end(body);
  };
  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch(() => incoming.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const unplug = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, exchanges, unplug, plug: () => listen(port), close: unplug };
}
