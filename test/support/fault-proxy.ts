import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './http-server.ts';

/**
 * The fate of a request. `refused`: not forwarded, 500 or 503. `lost`: not forwarded, the connection breaks. `done, …`:
 * forwarded, but the client gets an error or nothing. `half`: breaks off within the response's body. `damaged`: reaches
 * the server with a changed byte in its body. `stalled`: gets no response. `slow`: gets its response after a while.
 */
export const faults = [
  'refused 500',
  'refused 503',
  'lost',
  'done, then 500',
  'done, then lost',
  'half',
  'damaged',
  'stalled',
  'slow',
] as const;
export type Fault = (typeof faults)[number];

export interface FaultProxy {
  endpoint: string;
  /** The number of requests per fault. */
  met: Map<Fault, number>;
  close(): Promise<void>;
}

/** A proxy in front of an HTTP server; `choose` returns the fault of a request, counted from 1, or null. */
export async function faultProxy(
  target: string,
  choose: (number: number, request: IncomingMessage) => Fault | null,
): Promise<FaultProxy> {
  const met: FaultProxy['met'] = new Map();
  let number = 0;
  const { url, close } = await listen((incoming, answer) => {
    number += 1;
    const fault = choose(number, incoming);
    if (fault !== null) met.set(fault, (met.get(fault) ?? 0) + 1);
    serve(target, fault, incoming, answer).catch(() => incoming.socket.destroy());
  });
  return { endpoint: url, met, close };
}

async function serve(
  target: string,
  fault: Fault | null,
  incoming: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const body = await buffer(incoming);
  if (fault === 'stalled') return;
  if (fault === 'lost') throw new Error(fault);
  if (fault === 'refused 500' || fault === 'refused 503') {
    return refuse(answer, Number(fault.slice(-3)));
  }
  if (fault === 'damaged' && body.length > 0) body[body.length >> 1]! ^= 1;
  if (fault === 'slow') await sleep(100);
  const { status, headers, bytes } = await forward(target, incoming, body);
  if (fault === 'done, then lost') throw new Error(fault);
  if (fault === 'done, then 500') return refuse(answer, 500);
  answer.writeHead(status, headers);
  if (fault !== 'half') return void answer.end(bytes);
  answer.flushHeaders();
  const half = bytes.subarray(0, bytes.length >> 1);
  if (half.length > 0) await new Promise((resolve) => answer.write(half, resolve));
  throw new Error(fault);
}

function refuse(answer: ServerResponse, status: number): void {
  const code = status === 503 ? 'ServiceUnavailable' : 'InternalError';
  answer.writeHead(status, { 'content-type': 'application/xml' });
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>injected</Message></Error>`);
}

async function forward(target: string, incoming: IncomingMessage, body: Buffer) {
  const { method, url, headers } = incoming;
  const outgoing = request(new URL(url!, target), { method, headers });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, bytes: await buffer(response) };
}
