import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The configuration of `openssl ts -reply`: a policy, a serial number, and the accepted digests. */
const CONFIG = `
[tsa]
default_tsa = authority
[authority]
serial = SERIAL
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
[request]
distinguished_name = subject
x509_extensions = stamping
prompt = no
[subject]
CN = Time stamps for tests
[stamping]
extendedKeyUsage = critical,timeStamping
basicConstraints = critical,CA:TRUE
`;

export interface TimestampAuthority {
  url: string;
  /** Its certificate, PEM. */
  certificate: string;
  isAway: boolean;
  close(): Promise<void>;
}

/** A real RFC 3161 authority: OpenSSL's, behind a small HTTP server. */
export async function startTimestampAuthority(folder: string): Promise<TimestampAuthority> {
  const at = (name: string) => join(folder, name);
  await writeFile(at('ts.conf'), CONFIG.replace('SERIAL', at('serial')));
  await writeFile(at('serial'), '01\n');
  const [key, certificate] = [at('tsa.key'), at('tsa.pem')];
  const subject = ['-config', at('ts.conf'), '-section', 'request', '-days', '30', '-nodes'];
  const pair = ['-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', certificate];
  await run('openssl', ['req', ...pair, ...subject]);
  const signing = ['-inkey', key, '-signer', certificate, '-config', at('ts.conf'), '-section', 'authority'];
  let requests = 0;
  const reply = async (request: IncomingMessage): Promise<Buffer> => {
    const name = at(`${(requests += 1)}`);
    await writeFile(`${name}.tsq`, await Array.fromAsync(request as AsyncIterable<Buffer>));
    await run('openssl', ['ts', '-reply', '-queryfile', `${name}.tsq`, '-out', `${name}.tsr`, ...signing]);
    return await readFile(`${name}.tsr`);
  };
  const authority: TimestampAuthority = {
    url: '',
    certificate,
    isAway: false,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    if (authority.isAway) {
      response.writeHead(503).end();
      return;
    }
    reply(request).then(
      (bytes) => response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(bytes),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  authority.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return authority;
}
