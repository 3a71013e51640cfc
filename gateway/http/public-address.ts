import type { IncomingMessage } from 'node:http';

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * The URL that a client used, without a trailing slash: the Host header, and the scheme of X-Forwarded-Proto if a TLS
 * proxy sends it. Without a valid Host: the address of the connection. Use it for documentation only: a client chooses
 * the host in its own response.
 */
export function addressOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const host = headers.host ?? '';
  if (HOST.test(host)) return `${scheme}://${host}`;
  const { localAddress = '127.0.0.1', localPort = 80 } = socket;
  return `${scheme}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
