import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

export interface Question {
  method?: string;
  /** Name, value, name, value…: sent as they are, also twice. */
  headers?: string[];
  /** Instead of the address in Host. */
  host?: string;
  body?: string;
}

/** Sends a request over a new connection, with only Host and the given headers. */
export async function ask(base: string, path: string, question: Question = {}): Promise<Answer> {
  const { host, hostname, port } = new URL(base);
  const { method = 'GET', headers = [], body } = question;
  const sent = ['Host', question.host ?? host, ...headers];
  const outgoing = request({ hostname, port, path, method, headers: sent, agent: false });
  const response = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.on('error', () => undefined); // also after the response, which then breaks off
  outgoing.end(body);
  const [incoming] = await response;
  const received = await buffer(incoming);
  const { statusCode: status = 0 } = incoming;
  return { status, headers: incoming.headers, body: received, text: received.toString('utf8') };
}

export function bearer(key: string): string[] {
  return ['Authorization', `Bearer ${key}`];
}
