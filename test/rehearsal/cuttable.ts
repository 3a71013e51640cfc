import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';

/** A proxy with a fixed address, whose server can disappear and come back. */
export interface Cuttable {
  endpoint: string;
  /** Breaks every connection and refuses new ones, as the kernel does for a process that was killed. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

export async function cuttable(target: string): Promise<Cuttable> {
  const { hostname, port: targetPort } = new URL(target);
  const port = await freePort();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const restore = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  await restore();
  onTestFinished(() => (server.listening ? cut() : undefined));
  return { endpoint: `http://127.0.0.1:${port}`, cut, restore };
}
