import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import createFastify from 'fastify';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { Failure, reasonOf } from '../../lib/failure.ts';

/** An HTTP server that does not listen yet: one for clients, one for operators. */
export function fastify(options: FastifyHttpOptions<Server>): FastifyInstance {
  return createFastify(options);
}

/** Limits for connections of clients. A request must arrive within 30 seconds, its headers within 15. */
export const connectionLimits = {
  /** None apart from CONNECTION_TIMEOUT_MS: Node would start one timer for each response, another for each request. */
  keepAliveTimeout: 0,
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5000,
  /** URL and headers together, in bytes; a larger request gets 431. */
  maxHeaderSize: 16_384,
  /** Detects clients that vanished without closing. */
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  /** Makes no stream for an absent body, which took 1.8 of the 21 µs of a request. */
  optimizeEmptyRequests: true,
} as const;

/**
 * Milliseconds of silence after which a connection is closed, whether it is idle or a client does not read its response:
 * longer than the 60 seconds of common load balancers.
 */
const CONNECTION_TIMEOUT_MS = 75_000;
/** More connections are closed at once, so that the open ones are served. */
const MOST_CONNECTIONS = 10_000;

export type RefusalOfConnection = 'too_many_connections' | 'too_many_pipelined_requests';

export interface ConnectionObserver {
  /** A connection was closed because of a limit of the whole process. */
  connectionRefused(reason: RefusalOfConnection): void;
}

/** Fastify's options for the server of the API. In public a proxy stands in front of it (docs/first-monday.md). */
export function clientConnections(observer: ConnectionObserver) {
  /** The response to the last request of each connection. */
  const latest = new WeakMap<Socket, ServerResponse>();
  return {
    serverFactory(handle: RequestListener): Server {
      const server = createServer(connectionLimits);
      const handleOne = oneAtATime(latest, handle, observer);
      server.on('request', handleOne);
      // Without these Node would respond by itself, without the API's error body.
      server.on('checkContinue', handleOne);
      server.on('checkExpectation', handleOne);
      server.on('drop', () => observer.connectionRefused('too_many_connections'));
      server.setTimeout(CONNECTION_TIMEOUT_MS);
      server.maxConnections = MOST_CONNECTIONS;
      // Limited in bytes instead: Node would silently leave out headers beyond a number.
      server.maxHeadersCount = 0;
      // A client that closes its half after the request still gets the response (RFC 9112, 9.6). Not in Node's types.
      (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
      return server;
    },
    clientErrorHandler: refuseMalformed(latest),
  };
}

/** Requests of a connection that came behind an unfinished response; each takes 2 to 6 KB until the connection ends. */
const MOST_BEHIND = 100;

/**
 * No proxy pipelines, and one packet of 64 KB can hold 1,700 requests, which Node parses before one is answered. What
 * comes behind an unfinished response is dropped, and the connection closes after that response: the client repeats what
 * was not answered (RFC 9112, 9.3.2). If it is too much, the connection closes at once.
 */
function oneAtATime(
  latest: WeakMap<Socket, ServerResponse>,
  handle: RequestListener,
  observer: ConnectionObserver,
): RequestListener {
  const behind = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const dropped = behind.get(socket) ?? 0;
    // Node assigns the socket to one response at a time: no socket means that an earlier response is unfinished.
    if (response.socket !== null && dropped === 0) {
      latest.set(socket, response);
      return handle(request, response);
    }
    behind.set(socket, dropped + 1);
    if (dropped === 0) closeAfter(latest.get(socket)!, socket);
    if (dropped < MOST_BEHIND || socket.destroyed) return;
    observer.connectionRefused('too_many_pipelined_requests');
    socket.destroy();
  };
}

function closeAfter(response: ServerResponse, socket: Socket): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('finish', () => socket.destroySoon());
}

/** The status for malformed HTTP. There is no request, so there is no error body either. */
const statusLines: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers malformed HTTP with a bare status line, after the response to an earlier request, and closes. */
function refuseMalformed(latest: WeakMap<Socket, ServerResponse>) {
  return ({ code = '' }: NodeJS.ErrnoException, socket: Socket): void => {
    const refuse = () => {
      // After its first status line the client went on.
      if (!socket.writable) return socket.destroySoon();
      const status = statusLines[code] ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    const earlier = latest.get(socket);
    if (earlier?.req.complete === true && !earlier.writableFinished) earlier.once('finish', refuse);
    else refuse();
  };
}

/** An address to listen on, with the names of its settings for messages. */
interface ListenAddress {
  host: string;
  port: number;
  /** `HOST` and `PORT`, or those of the operators' server. */
  settings: [string, string];
}

/** Listens and returns the URL. @throws Failure that names the settings if the address is taken or invalid. */
export async function listen(app: FastifyInstance, { host, port, settings }: ListenAddress): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const where = `${settings[0]} ${host}, ${settings[1]} ${port}`;
    if (isTaken(error)) throw new Failure(`${where}: another program listens there`, { cause: error });
    throw new Failure(`${where}: cannot listen: ${reasonOf(error)}`, { cause: error });
  }
}

export function isTaken(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
