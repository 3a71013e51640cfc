import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that is silent for this long has no more to send. The server's limit on a whole request also applies. */
const SILENCE_MS = 1000;
const MOST_DROPPED_BYTES = 16 * 1024 * 1024;

/**
 * Sends the response, then reads and drops the rest of the request's body, up to a limit, before Node closes the
 * connection. Closing a socket with unread bytes resets it: a proxy that is still sending the body would lose the
 * response, return 502 and mark the gateway as down.
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

/** Sends `bytes` on a connection with malformed HTTP, drops what it still receives for a moment, and closes it. */
export function endAfterDropping(socket: Socket, bytes: string): void {
  const limit = socket.bytesRead + MOST_DROPPED_BYTES;
  const timer = setTimeout(() => socket.destroy(), SILENCE_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', () => void (socket.bytesRead > limit && socket.destroy()));
  socket.end(bytes);
  socket.resume();
}
