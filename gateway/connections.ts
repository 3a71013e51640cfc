import { ServerResponse } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds on what a client can hold on to. A load balancer that keeps connections for 60 seconds must find them open;
 * whoever sends a request has to have sent it all within 30 seconds, its headers within 15.
 */
export const connectionLimits = {
  keepAliveTimeout: 75_000,
  requestTimeout: 30_000,
  /** Silence on a connection that has something to send or to receive. */
  connectionTimeout: 90_000,
  http: {
    headersTimeout: 15_000,
    /** URL and headers together; beyond it 431. */
    maxHeaderSize: 16_384,
    connectionsCheckingInterval: 5000,
    /** Finds clients that have gone without a word. */
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    insecureHTTPParser: false,
    requireHostHeader: true,
    /** No stream for a body that is not there: measured at 1.8 µs of the 21 of a request. */
    optimizeEmptyRequests: true,
  },
} as const;

/** Beyond this new connections are closed at once, so that those that are open stay good. */
const MOST_CONNECTIONS = 10_000;

/** What a client that broke HTTP is told. There is no request, so there is no error body either. */
const statusLines: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers what never became a request with a bare status line, and closes the connection. */
export function closeBareConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusLines[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Requests that Node would answer by itself are answered by us: every refusal has the body of spec 2.9. */
export function mindConnections(server: Server): void {
  const asAnyOther = (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response);
  server.on('checkContinue', asAnyOther);
  server.on('checkExpectation', asAnyOther);
  // Node hands over the bare connection, on which no second request can come.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    socket.on('error', () => socket.destroy());
    asAnyOther(request, response);
  });
  // Counted in bytes instead: Node would leave out the headers beyond a number without a word.
  server.maxHeadersCount = 0;
  server.maxConnections = MOST_CONNECTIONS;
  // A client that closes its half after the request still gets the answer (RFC 9112, 9.6). Not in Node's types.
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
}
