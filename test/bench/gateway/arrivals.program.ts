import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { percentile } from '../../load/report.ts';

/**
 * Sends requests when they are due, a constant number per second, whether the server keeps up or not, and prints what
 * they took from then on. On plain sockets, because an HTTP client costs more than the servers that are measured.
 */
const { url, rate, seconds, connections, keysFile } = JSON.parse(process.argv[2]!) as {
  url: string;
  rate: number;
  seconds: number;
  connections: number;
  keysFile: string;
};
const { hostname, port, pathname, host } = new URL(url);
const keys = (await readFile(keysFile, 'utf8')).trim().split('\n');
const requests = keys.map((key) => `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\n\r\n`);

const idle: Connection[] = [];
const waiting: number[] = [];
const times: number[] = [];
let wrong = 0;
let sent = 0;

interface Connection {
  socket: Socket;
  due: number;
  /** Bytes that are still to come; null: the head is. */
  missing: number | null;
}

function send(connection: Connection, due: number): void {
  connection.due = due;
  connection.missing = null;
  connection.socket.write(requests[sent++ % requests.length]!, 'latin1');
}

function received(connection: Connection, chunk: Buffer): void {
  if (connection.missing === null) {
    const end = chunk.indexOf('\r\n\r\n');
    const head = chunk.toString('latin1', 0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) wrong += 1;
    connection.missing = Number(length ?? 0) - (chunk.length - end - 4);
  } else connection.missing -= chunk.length;
  if (connection.missing > 0) return;
  times.push(performance.now() - connection.due);
  const next = waiting.shift();
  if (next === undefined) idle.push(connection);
  else send(connection, next);
}

for (let n = 0; n < connections; n++) {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const connection: Connection = { socket, due: 0, missing: null };
  socket.on('data', (chunk: Buffer) => received(connection, chunk));
  socket.on('error', () => void (wrong += 1));
  await new Promise((resolve) => socket.once('connect', resolve));
  idle.push(connection);
}

const total = Math.round(rate * seconds);
const began = performance.now();
let scheduled = 0;
await new Promise<void>((resolve) => {
  const sendDue = () => {
    const now = performance.now();
    while (scheduled < total && began + (scheduled / rate) * 1000 <= now) {
      const due = began + (scheduled++ / rate) * 1000;
      const connection = idle.pop();
      if (connection === undefined) waiting.push(due);
      else send(connection, due);
    }
    const isOver = times.length >= total || now - began > (seconds + 10) * 1000;
    if (isOver) resolve();
    else setTimeout(sendDue, 1);
  };
  sendDue();
});
times.sort((a, b) => a - b);
const lost = total - times.length;
process.stdout.write(
  JSON.stringify({
    requests: total,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    wrong: wrong + lost,
  }),
);
process.exit();
