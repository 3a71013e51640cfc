import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { percentile } from '../percentile.ts';

/**
 * Sends requests at a constant rate, whether the server keeps up or not, and prints their latencies from the due times.
 * Without a rate, every connection sends the next request after each response, and the maximum throughput is printed.
 * It uses plain sockets, because an HTTP client costs more than the measured servers. Requests before `warmUpSeconds`
 * are not counted: meanwhile V8 compiles this program on shared cores, which was measured as 10 ms more at p99.
 */
const { url, rate, warmUpSeconds, seconds, connections, keysFile } = JSON.parse(process.argv[2]!) as {
  url: string;
  rate: number | null;
  warmUpSeconds: number;
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
let answered = 0;

interface Connection {
  socket: Socket;
  due: number;
  /** Bytes of the body that are still to come; null while the head is. */
  missing: number | null;
}

function send(connection: Connection, due: number): void {
  connection.due = due;
  connection.missing = null;
  sent += 1;
  connection.socket.write(requests[sent % requests.length]!, 'latin1');
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
  const now = performance.now();
  answered += 1;
  if (connection.due >= counted && connection.due < ends) times.push(now - connection.due);
  const next = rate === null ? now : waiting.shift();
  if (next === undefined || next >= ends) idle.push(connection);
  else send(connection, next);
}

let counted = Infinity;
let ends = Infinity;
for (let n = 0; n < connections; n++) {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const connection: Connection = { socket, due: 0, missing: null };
  socket.on('data', (chunk: Buffer) => received(connection, chunk));
  socket.on('error', () => void (wrong += 1));
  await new Promise((resolve) => socket.once('connect', resolve));
  idle.push(connection);
}

const began = performance.now();
counted = began + warmUpSeconds * 1000;
ends = counted + seconds * 1000;
if (rate === null) for (const connection of idle.splice(0)) send(connection, began);
let scheduled = 0;
const dueNext = () => (rate === null ? Infinity : began + (scheduled / rate) * 1000);
await new Promise<void>((resolve) => {
  const sendDue = () => {
    const now = performance.now();
    for (let due = dueNext(); due <= now && due < ends; due = dueNext()) {
      scheduled += 1;
      const connection = idle.pop();
      if (connection === undefined) waiting.push(due);
      else send(connection, due);
    }
    const isOver = now >= ends && waiting.length === 0 && answered === sent;
    if (isOver || now > ends + 10_000) resolve();
    else setTimeout(sendDue, 1);
  };
  sendDue();
});
times.sort((a, b) => a - b);
const lost = sent - answered + waiting.length;
process.stdout.write(
  JSON.stringify({
    requests: times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    wrong: wrong + lost,
  }),
);
process.exit();
