import type { IncomingMessage } from 'node:http';

/** What may be written into JSON and into sample requests: a name or an address, and a port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The URL that a client used, without a trailing slash: the Host header, and the scheme of X-Forwarded-Proto if a TLS
 * proxy sends it. Without a valid Host `/`, which is relative to the document: the address of the connection may be one
 * of an inner network. Use it for documentation only: a client chooses the host in its own response.
 */
export function requestedAddress({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const { host = '' } = headers;
  if (!HOST.test(host)) return '/';
  return `${headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'}://${host}`;
}
