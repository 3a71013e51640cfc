import type { IncomingMessage } from 'node:http';

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * The URL that a client used, without a trailing slash: the Host header, and the scheme of X-Forwarded-Proto if a TLS
 * proxy sends it. Without a valid Host: the address of the connection. Use it for documentation only: a client chooses
 * the host in its own response.
 */
export function requestedAddress(request: Request): string {
  const host = request.headers.host ?? '';
  return HOST.test(host) ? `${schemeOf(request)}://${host}` : connectionAddress(request);
}

/** The URL of our end of the connection. */
export function connectionAddress(request: Request): string {
  const { localAddress = '127.0.0.1', localPort = 80 } = request.socket;
  return `${schemeOf(request)}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

function schemeOf({ headers }: Request): string {
  return headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
}
