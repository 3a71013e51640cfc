import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseMalformed, refuseUnsound } from './malformed.ts';
import { limitPipelining } from './pipelining.ts';

/**
 * Bounds on what a client can keep open. A load balancer that keeps connections for 60 seconds must find them open; a
 * request must have arrived within 30 seconds, its headers within 15.
 */
export const connectionLimits = {
  keepAliveTimeout: 75_000,
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5000,
  /** URL and headers together; beyond it 431. */
  maxHeaderSize: 16_384,
  /** Detects clients that vanished without closing. */
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  insecureHTTPParser: false,
  requireHostHeader: true,
  /** No stream for a body that is not there: measured at 1.8 µs of the 21 of a request. */
  optimizeEmptyRequests: true,
} as const;

/** Milliseconds of silence on a connection that has something to send or to receive. */
const CONNECTION_TIMEOUT_MS = 90_000;
/** Beyond this new connections are closed at once, so that the open ones stay good. */
const MOST_CONNECTIONS = 10_000;
/** From this share of the limit on, new connections take the place of idle ones. */
const MANY = 0.9;
/** Looking for idle connections takes a millisecond. */
const MAKE_ROOM_EVERY_MS = 1000;

export type RefusalOfConnection = 'too_many_connections' | 'too_many_pipelined_requests';

export interface ConnectionObserver {
  /** A connection was closed for a limit of the whole process. */
  connectionRefused(reason: RefusalOfConnection): void;
}

/** `isStopping`: true once every response must ask the client to leave. */
export interface ConnectionParts {
  observer: ConnectionObserver;
  isStopping: () => boolean;
}

/** Fastify's options for the clients' server: whatever it listens on has the same limits. */
export function clientConnections({ observer, isStopping }: ConnectionParts) {
  const latest = new WeakMap<Socket, ServerResponse>();
  return {
    serverFactory(handle: RequestListener): Server {
      const server = createServer(connectionLimits);
      const limited = limitPipelining(server, handle, () =>
        observer.connectionRefused('too_many_pipelined_requests'),
      );
      const listener: RequestListener = (request, response) => {
        latest.set(request.socket, response);
        if (refuseUnsound(request, response)) return;
        if (isStopping()) response.setHeader('Connection', 'close');
        limited(request, response);
      };
      server.on('request', listener);
      server.setTimeout(CONNECTION_TIMEOUT_MS);
      // Without these Node would respond by itself, without the API's error body.
      server.on('checkContinue', listener);
      server.on('checkExpectation', listener);
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
  // Before Node's own listener: the new connection is not one of the idle ones.
  server.prependListener('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => void (open -= 1));
    if (open < server.maxConnections * MANY || performance.now() - madeRoom < MAKE_ROOM_EVERY_MS) return;
    madeRoom = performance.now();
    server.closeIdleConnections();
  });
}
