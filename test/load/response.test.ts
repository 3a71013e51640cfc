import { expect, test } from 'vitest';
import { readResponse } from '../tools/load/response.ts';

test('a response is read as sent, and is complete with its last byte', () => {
  const body = '{"data":"ü"}';
  const length = String(Buffer.byteLength(body));
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\nETag: "a:b"\r\nContent-Length: ${length}\r\n\r\n${body}`);
  const headers = { etag: '"a:b"', 'content-length': length };
  expect(readResponse(bytes, true)).toEqual({ status: 200, headers, body });
  for (let end = 1; end < bytes.length; end++) expect(readResponse(bytes.subarray(0, end), true)).toBe(null);
});

test.each([
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'without Content-Length'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n12', 'longer than its Content-Length'],
  ['SSH-2.0-OpenSSH_9.2\r\n\r\n', "begins with 'SSH-2.0-OpenSSH_9.2'"],
  [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`, 'without an end of its headers'],
])('a response that is none of the gateway is an error: %j', (text, complaint) => {
  expect(() => readResponse(Buffer.from(text), false)).toThrow(complaint);
});
