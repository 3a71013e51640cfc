import { Failure } from '../../../lib/failure.ts';
import type { Answer } from './types.ts';

const LARGEST_HEAD = 65_536;

/** Reads one response of HTTP/1.1, as the gateway sends them: with a Content-Length, unless it has no body. */
export class ResponseReader {
  #head: Buffer = Buffer.alloc(0);
  #answer: Answer | null = null;
  #missing = 0;
  readonly #body: Buffer[] = [];
  readonly #wantsBody: boolean;

  constructor(wantsBody: boolean) {
    this.#wantsBody = wantsBody;
  }

  /**
   * Takes the next bytes.
   * @returns the response once it is complete; before that, null
   * @throws Failure if it is no such response
   */
  read(chunk: Buffer): Answer | null {
    const rest = this.#answer === null ? this.#readHead(chunk) : chunk;
    if (this.#answer === null) return null;
    this.#missing -= rest.length;
    if (this.#missing < 0) throw new Failure('a response that is longer than its Content-Length');
    if (this.#wantsBody) this.#body.push(rest);
    if (this.#missing > 0) return null;
    if (this.#wantsBody) this.#answer.body = Buffer.concat(this.#body).toString('utf8');
    return this.#answer;
  }

  /** The bytes of the body that came with the head. */
  #readHead(chunk: Buffer): Buffer {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) {
      if (bytes.length > LARGEST_HEAD) throw new Failure('a response without an end of its headers');
      this.#head = bytes;
      return bytes;
    }
    this.#answer = parseHead(bytes.toString('latin1', 0, end));
    this.#missing = lengthOf(this.#answer);
    return bytes.subarray(end + 4);
  }
}

function parseHead(head: string): Answer {
  const [first, ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/.exec(first!)?.[1];
  if (status === undefined) throw new Failure(`a response that begins with '${first!.slice(0, 40)}'`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(status), headers, body: null };
}

function lengthOf({ status, headers }: Answer): number {
  if (status === 304 || status === 204) return 0;
  const length = headers['content-length'];
  if (length === undefined || !/^\d+$/.test(length)) throw new Failure('a response without Content-Length');
  return Number(length);
}
