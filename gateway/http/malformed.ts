import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endAfterDropping } from './unwanted-body.ts';

/** The status for malformed HTTP. There is no request, so there is no error body either. */
const statusLines: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Answers malformed HTTP with a bare status line, after the responses to earlier requests of the connection, and closes
 * the connection.
 * @param latest the response to the last request of each connection
 */
export function refuseMalformed(latest: WeakMap<Socket, ServerResponse>) {
  const refused = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    if (refused.has(socket) || socket.destroyed) return; // Node reports an error for each further packet
    refused.add(socket);
    const refuse = () => {
      if (!socket.writable) return;
      const status = statusLines[error.code ?? ''] ?? '400 Bad Request';
      endAfterDropping(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    const last = latest.get(socket);
    if (last === undefined) refuse();
    else if (!last.req.complete) {
      // The error is in the body of that request.
      if (last.headersSent) socket.destroySoon();
      else refuse();
    } else if (last.writableFinished) refuse();
    else last.once('close', refuse);
  };
}

/**
 * Refuses requests that Node's parser accepts: with several Host fields (RFC 9112, 3.2), or another version than 1.x.
 * @returns true if the request was refused
 */
export function refuseUnsound(request: IncomingMessage, response: ServerResponse): boolean {
  const isVersion1 = request.httpVersionMajor === 1;
  if (isVersion1 && !hasTwoHosts(request.rawHeaders)) return false;
  response.writeHead(isVersion1 ? 400 : 505, ['Connection', 'close', 'Content-Length', '0']);
  response.end();
  return true;
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
