import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
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
  return await new Promise<Answer>((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      path,
      method: question.method ?? 'GET',
      headers: ['Host', question.host ?? host, ...(question.headers ?? [])],
      agent: false,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      buffer(incoming).then(
        (body) =>
          resolve({
            status: incoming.statusCode!,
            headers: incoming.headers,
            rawHeaders: incoming.rawHeaders,
            body,
            text: body.toString('utf8'),
          }),
        reject,
      );
    });
    outgoing.end(question.body);
  });
}

export function bearer(key: string): string[] {
  return ['Authorization', `Bearer ${key}`];
}

/** What `app.inject` leaves out of a request of Node: its header fields by name, each with all its values. */
class InjectedRequest extends Readable {
  declare headers: Record<string, string>;
  get headersDistinct(): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, [value]]));
  }
}

/** Asks the application without a connection; what depends on how headers and connections arrive needs {@link ask}. */
export async function inject(
  app: FastifyInstance,
  path: string,
  key?: string,
  method: 'GET' | 'POST' | 'HEAD' = 'GET',
): Promise<Answer> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const {
    statusCode,
    headers: received,
    rawPayload,
    payload,
  } = await app.inject({ method, url: path, headers, Request: InjectedRequest });
  return {
    status: statusCode,
    headers: received as IncomingHttpHeaders,
    rawHeaders: Object.entries(received).flatMap(([name, value]) => [name, String(value)]),
    body: rawPayload,
    text: payload,
  };
}
