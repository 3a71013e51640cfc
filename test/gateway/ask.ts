import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
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
