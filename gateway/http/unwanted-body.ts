import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that is silent for so long has no more to send. The server's limit on a whole request holds as well. */
const SILENCE_MS = 1000;
const MOST_DROPPED_BYTES = 16 * 1024 * 1024;

/**
 * Sends the whole response and then reads and drops the rest of the request's body, within bounds, before the response
 * ends and Node closes the connection. A socket that is closed with unread bytes is reset: a proxy that is still
 * writing the body then loses the response, reports 502 and takes the gateway for broken.
 */
export function endAfterBody(response: ServerResponse, body: Buffer | null): void {
  const request = response.req;
  if (body === null || request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  let left = MOST_DROPPED_BYTES;
  const end = () => {
    clearTimeout(silence);
    response.end();
  };
  const silence = setTimeout(end, SILENCE_MS);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
    else silence.refresh();
  });
  request.once('end', end);
  request.once('close', end);
}

/** Ends a connection that broke HTTP with these bytes, and drops what still comes for a moment. */
export function endAfterDropping(socket: Socket, bytes: string): void {
  const limit = socket.bytesRead + MOST_DROPPED_BYTES;
  const timer = setTimeout(() => socket.destroy(), SILENCE_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', () => void (socket.bytesRead > limit && socket.destroy()));
  socket.end(bytes);
  socket.resume();
}
