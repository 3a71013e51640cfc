import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port that no other process gets by chance while its owner is down: below the range for outgoing connections
 * (from 32768 on Linux, 49152 elsewhere).
 */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
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
