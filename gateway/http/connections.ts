import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseMalformed, refuseUnsound } from './malformed.ts';
import { refusePipelining } from './pipelining.ts';

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
  insecureHTTPParser: false,
  requireHostHeader: true,
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
/** File descriptors that the process needs besides its clients: store, records, log, metrics. */
const OTHER_DESCRIPTORS = 128;
/** Above this share of the limit, idle connections are closed to make room. */
const MANY = 0.9;
/** Looking for idle connections takes a millisecond. */
const MAKE_ROOM_EVERY_MS = 1000;

/**
 * Keeps the connections of clients below the process's limit of open files: once there are no more descriptors, libuv
 * closes connections without an event, so they could be neither logged nor counted.
 * @returns null if the usual limit fits
 */
export function lowerConnectionLimit(server: Server): { connections: number; openFiles: number } | null {
  const openFiles = openFilesLimit();
  const others = Math.min(OTHER_DESCRIPTORS, Math.floor(openFiles / 2));
  if (openFiles - others >= server.maxConnections) return null;
  server.maxConnections = openFiles - others;
  return { connections: server.maxConnections, openFiles };
}

/** At its start Node raises the limit as far as it may. Infinity if there is none, or the system is not Linux. */
function openFilesLimit(): number {
  if (process.platform !== 'linux') return Infinity;
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(soft ?? Infinity);
}

export type RefusalOfConnection = 'too_many_connections' | 'too_many_pipelined_requests';

export interface ConnectionObserver {
  /** A connection was closed because of a limit of the whole process. */
  connectionRefused(reason: RefusalOfConnection): void;
}

/** `isStopping`: if true, every response asks the client to close the connection. */
export interface ConnectionParts {
  observer: ConnectionObserver;
  isStopping: () => boolean;
}

/** Fastify's options for the server of the API: the limits apply to every address that it listens on. */
export function clientConnections({ observer, isStopping }: ConnectionParts) {
  const latest = new WeakMap<Socket, ServerResponse>();
  return {
    serverFactory(handle: RequestListener): Server {
      const server = createServer(connectionLimits);
      const handleOne = refusePipelining(
        server,
        latest,
        (request, response) => {
          latest.set(request.socket, response);
          if (refuseUnsound(request, response)) return;
          if (isStopping()) response.setHeader('Connection', 'close');
          handle(request, response);
        },
        () => observer.connectionRefused('too_many_pipelined_requests'),
      );
      server.on('request', handleOne);
      server.setTimeout(CONNECTION_TIMEOUT_MS);
      // Without these Node would respond by itself, without the API's error body.
      server.on('checkContinue', handleOne);
      server.on('checkExpectation', handleOne);
      // Limited in bytes instead: Node would silently leave out headers beyond a number.
      server.maxHeadersCount = 0;
      limitConnections(server, observer);
      // A client that closes its half after the request still gets the response (RFC 9112, 9.6). Not in Node's types.
      (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
      return server;
    },
    clientErrorHandler: refuseMalformed(latest),
  };
}

function limitConnections(server: Server, observer: ConnectionObserver): void {
  server.maxConnections = MOST_CONNECTIONS;
  server.on('drop', () => observer.connectionRefused('too_many_connections'));
  let open = 0;
  let madeRoom = -Infinity;
  // Before Node's own listener, which would count the new connection as idle.
  server.prependListener('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => void (open -= 1));
    if (open < server.maxConnections * MANY || performance.now() - madeRoom < MAKE_ROOM_EVERY_MS) return;
    madeRoom = performance.now();
    server.closeIdleConnections();
  });
}
