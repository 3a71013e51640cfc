import { expect, test } from 'vitest';
import { ResponseReader } from '../tools/load/response.ts';

test('a response is read as sent, wherever the network divides it, and is complete with its last byte', () => {
  const body = '{"data":"ü"}';
  const length = String(Buffer.byteLength(body));
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nETag: "a:b"\r\nContent-Length: ${length}\r\n\r\n${body}`);
  const expected = { status: 200, headers: { etag: '"a:b"', 'content-length': length }, body };
  for (let at = 1; at < bytes.length; at++) {
    const reader = new ResponseReader(true);
    expect(reader.read(bytes.subarray(0, at))).toBe(null);
    expect(reader.read(bytes.subarray(at))).toEqual(expected);
  }
});

test.each([
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'without Content-Length'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n12', 'longer than its Content-Length'],
  ['SSH-2.0-OpenSSH_9.2\r\n\r\n', "begins with 'SSH-2.0-OpenSSH_9.2'"],
  [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`, 'without an end of its headers'],
])('a response that is none of the gateway is an error: %j', (text, complaint) => {
  expect(() => new ResponseReader(false).read(Buffer.from(text))).toThrow(complaint);
});
