import { describe, expect, test } from 'vitest';
import { ResponseReader } from '../tools/load/response.ts';
import type { Answer } from '../tools/load/types.ts';

const response =
  'HTTP/1.1 200 OK\r\nETag: "a:b"\r\nContent-Length: 12\r\nX-RateLimit-Limit: 60\r\n\r\n{"data":"ü"}'.replace(
    '12',
    String(Buffer.byteLength('{"data":"ü"}')),
  );

function read(text: string, at: number, wantsBody = true): Answer | null {
  const bytes = Buffer.from(text);
  const reader = new ResponseReader(wantsBody);
  return reader.read(bytes.subarray(0, at)) ?? reader.read(bytes.subarray(at));
}

describe('a response', () => {
  test('is read as sent, wherever the network divides it', () => {
    const length = Buffer.byteLength(response);
    for (let at = 1; at <= length; at++) {
      const answer = read(response, at);
      expect(answer).toEqual({
        status: 200,
        headers: {
          etag: '"a:b"',
          'content-length': String(Buffer.byteLength('{"data":"ü"}')),
          'x-ratelimit-limit': '60',
        },
        body: '{"data":"ü"}',
      });
    }
    expect(read(response, 5, false)!.body).toBe(null);
  });

  test('is complete with its last byte, not before', () => {
    const reader = new ResponseReader(true);
    const bytes = Buffer.from(response);
    expect(reader.read(bytes.subarray(0, -1))).toBe(null);
    expect(reader.read(bytes.subarray(-1))).not.toBe(null);
  });

  test('without a body ends with its headers', () => {
    const head = 'HTTP/1.1 304 Not Modified\r\ncontent-length: 10\r\n\r\n';
    expect(read(head, 20)).toMatchObject({ status: 304, body: '' });
  });

  test.each([
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'without Content-Length'],
    ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n12', 'longer than its Content-Length'],
    ['SSH-2.0-OpenSSH_9.2\r\n\r\n', "begins with 'SSH-2.0-OpenSSH_9.2'"],
    [`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`, 'without an end of its headers'],
  ])('that is none of the gateway is an error: %j', (text, complaint) => {
    expect(() => new ResponseReader(false).read(Buffer.from(text))).toThrow(complaint);
  });
});
