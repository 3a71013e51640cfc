import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { connectionLimits } from '../../gateway/connections.ts';
import {
  canBeSpelled,
  dateField,
  documentFields,
  endSpelled,
  spellHeads,
} from '../../gateway/document-head.ts';
import { encodings } from '../../gateway/negotiation.ts';
import { prepareDocument } from '../../gateway/prepared-document.ts';

const document = await prepareDocument(Buffer.from('{"data":["é"]}'), 'a'.repeat(64));
let answer: (response: ServerResponse) => void;
const { keepAliveTimeout } = connectionLimits;
const server = createServer({ keepAliveTimeout }, (_request, response) => answer(response));
const sockets: Socket[] = [];
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function ask(text: string): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.write(text);
  return socket;
}

const isDate = (field: string) => field.startsWith('Date: ');

/** The head of the second of two answers on one connection; its fields in order of name. */
async function headOf(answering: typeof answer, body: Buffer | null) {
  answer = answering;
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const end = `\r\n\r\n${body?.toString('latin1') ?? ''}`;
  let received = '';
  for await (const chunk of ask(request + request).setEncoding('latin1')) {
    received += chunk as string;
    if (received.split('HTTP/1.1 ').length === 3 && received.endsWith(end)) break;
  }
  const head = received.slice(received.lastIndexOf('HTTP/1.1 '), -end.length);
  const [status, ...fields] = head.split('\r\n');
  return {
    status,
    fields: fields.filter((field) => !isDate(field)).toSorted(),
    dates: fields.filter(isDate),
  };
}

describe('a head that is spelled', () => {
  test.each(encodings.flatMap((encoding) => [[encoding, 200] as const, [encoding, 304] as const]))(
    'says of %s what Node would say with status %i, and the next answer follows on the same connection',
    async (encoding, status) => {
      const variant = document.variants[encoding];
      const body = status === 200 ? variant.body : null;
      const byNode = await headOf((response) => {
        response.writeHead(status, documentFields(variant, status));
        if (body === null) response.end();
        else response.end(body);
      }, body);
      const heads = spellHeads(variant);
      const spelled = await headOf((response) => {
        expect(canBeSpelled(response)).toBe(true);
        const head = status === 200 ? heads.ok : heads.notModified;
        endSpelled(response, status, `${head}${dateField()}\r\n\r\n`, body);
        expect(response.headersSent).toBe(true);
      }, body);
      expect([spelled.status, spelled.fields]).toEqual([byNode.status, byNode.fields]);
      expect(spelled.dates).toHaveLength(1);
      expect(Math.abs(Date.parse(spelled.dates[0]!.slice(6)) - Date.now())).toBeLessThan(60_000);
    },
  );

  test.each(['HTTP/1.0', 'HTTP/1.1\r\nConnection: close'])(
    'is not for a connection that closes: %j',
    async (rest) => {
      const spellable = await new Promise<boolean>((resolve) => {
        answer = (response) => {
          resolve(canBeSpelled(response));
          response.end();
        };
        ask(`GET / ${rest}\r\nHost: a\r\n\r\n`);
      });
      expect(spellable).toBe(false);
    },
  );
});
