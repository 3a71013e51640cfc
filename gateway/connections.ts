import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
  // Counted in bytes instead: Node would leave out the headers beyond a number without a word.
  server.maxHeadersCount = 0;
}
