import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Listening {
  url: string;
  close: () => Promise<void>;
}

/** Starts a server on a free port. */
export async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Starts a server for the length of one test. Returns its address. */
export async function startServer(listener: RequestListener): Promise<string> {
  const { url, close } = await listen(listener);
  onTestFinished(close);
  return url;
}
