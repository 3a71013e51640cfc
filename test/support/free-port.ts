import { once } from 'node:events';
import { createServer } from 'node:net';

const given = new Set<number>();

/**
 * A port of 127.0.0.1 that no program listens on, and that no other one gets by chance: below the range from which
 * systems choose ports (from 32768 on Linux, 49152 elsewhere). So a server may take a while to start there, or restart.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const listening = once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.listen(port, '127.0.0.1');
    if (!(await listening)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
