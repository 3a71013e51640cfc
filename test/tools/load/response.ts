import { Failure } from '../../../lib/failure.ts';
import type { Answer } from './types.ts';

const LARGEST_HEAD = 65_536;

interface Head extends Pick<Answer, 'status' | 'headers'> {
  /** Where the body begins and ends, in bytes from the begin of the response. */
  bodyAt: number;
  end: number;
}

/**
 * Reads the head of a response of HTTP/1.1, as the gateway sends them: with a Content-Length, unless it has no body.
 * @param bytes the first ones of a response
 * @returns null until the head is complete
 * @throws Failure if it is no such response
 */
export function readHead(bytes: Buffer): Head | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) {
    if (bytes.length > LARGEST_HEAD) throw new Failure('a response without an end of its headers');
    return null;
  }
  const [first, ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/.exec(first!)?.[1];
  if (status === undefined) throw new Failure(`a response that begins with '${first!.slice(0, 40)}'`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const length = status === '304' || status === '204' ? '0' : (headers['content-length'] ?? '');
  if (!/^\d+$/.test(length)) throw new Failure('a response without Content-Length');
  return { status: Number(status), headers, bodyAt: end + 4, end: end + 4 + Number(length) };
}

/**
 * Reads a response.
 * @param bytes all that has arrived of it
 * @returns null until it is complete
 * @throws Failure as {@link readHead}
 */
export function readResponse(bytes: Buffer, wantsBody: boolean): Answer | null {
  const head = readHead(bytes);
  if (head === null || bytes.length < head.end) return null;
  if (bytes.length > head.end) throw new Failure('a response that is longer than its Content-Length');
  const { status, headers, bodyAt } = head;
  return { status, headers, body: wantsBody ? bytes.toString('utf8', bodyAt) : null };
}
