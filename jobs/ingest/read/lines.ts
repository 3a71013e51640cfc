import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Failure, reasonOf } from '../../../lib/failure.ts';

/** Whole lines of an NDJSON file, as one text that DuckDB splits. */
export interface LineBlock {
  /** Lines joined by `\n`, without the last terminator. */
  text: string;
  /** The number of the first line, 1-based. */
  firstLine: number;
  lines: number;
  /** Lines that are not UTF-8: in `text` they are empty. */
  undecodable: { line: number; bytes: Buffer }[];
}

/**
 * What a block has at most, except that a line is never cut: enough to make its overhead small, little enough for several
 * to fit into memory. Lines and values too, because DuckDB takes 100 times the bytes of the shortest of them. The file is
 * read `atOnce` bytes at a time; a block may be larger by as much. A line of more bytes than `longestLine` ends the ingest:
 * DuckDB keeps several copies of a line while it checks it.
 */
const BLOCK = {
  bytes: 16 << 20,
  lines: 100_000,
  commas: 1_000_000,
  atOnce: 1 << 20,
  longestLine: 32 << 20,
};
const [TAB, NEWLINE, RETURN, SPACE, COMMA] = [0x09, 0x0a, 0x0d, 0x20, 0x2c];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a file a block of whole lines at a time, in bounded memory. A block begins with a line that is not blank.
 * @throws Failure that names the file when it cannot be read or unzipped to its end.
 */
export async function* lineBlocks(path: string, zipped: boolean, limits = BLOCK): AsyncGenerator<LineBlock> {
  let firstLine = 1;
  let pending: Buffer[] = [];
  let bytesOfLastLine = 0;
  for await (const chunk of chunksOf(path, zipped, limits.atOnce)) {
    pending.push(chunk);
    const cut = chunk.lastIndexOf(NEWLINE);
    bytesOfLastLine = cut === -1 ? bytesOfLastLine + chunk.length : chunk.length - cut - 1;
    if (bytesOfLastLine > limits.longestLine) {
      const line = firstLine + newlinesIn(Buffer.concat(pending));
      throw new Failure(`${path}: line ${line} is longer than ${BLOCK.longestLine >> 20} MiB`);
    }
    const pendingBytes = pending.reduce((sum, { length }) => sum + length, 0);
    if (pendingBytes < limits.bytes || cut === -1) continue;
    const bytes = Buffer.concat(pending);
    const end = bytes.length - chunk.length + cut;
    const { blocks, lines } = blocksIn(bytes.subarray(0, end), limits);
    for (const block of blocks) yield decode(block.bytes, firstLine + block.linesBefore);
    firstLine += lines;
    pending = [bytes.subarray(end + 1)];
  }
  for (const block of blocksIn(Buffer.concat(pending), limits).blocks)
    yield decode(block.bytes, firstLine + block.linesBefore);
}

interface BlockBytes {
  bytes: Buffer;
  linesBefore: number;
}

/** Cuts whole lines into blocks, without the blank lines before each. */
function blocksIn(bytes: Buffer, limits: typeof BLOCK): { blocks: BlockBytes[]; lines: number } {
  const blocks: BlockBytes[] = [];
  let [start, linesBefore, lines, commas] = [0, 0, 0, 0];
  let isBlank = true;
  const endBlock = (end: number) => {
    if (lines > linesBefore) blocks.push({ bytes: bytes.subarray(start, end), linesBefore });
    [start, linesBefore, commas] = [end + 1, lines, 0];
  };
  for (let at = 0; at <= bytes.length; at++) {
    const byte = at === bytes.length ? NEWLINE : bytes[at];
    if (byte === NEWLINE) {
      if (isBlank && lines === linesBefore) [start, linesBefore, lines] = [at + 1, lines + 1, lines + 1];
      else if (++lines - linesBefore >= limits.lines || commas >= limits.commas) endBlock(at);
      isBlank = true;
    } else if (byte === COMMA) {
      commas++;
      isBlank = false;
    } else if (byte !== SPACE && byte !== TAB && byte !== RETURN) isBlank = false;
  }
  endBlock(bytes.length);
  return { blocks, lines };
}

async function* chunksOf(path: string, zipped: boolean, atOnce: number): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: atOnce });
  const source = zipped ? unzipped(file, atOnce) : file;
  let first = true;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      yield first && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk;
      first = false;
    }
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function unzipped(file: Readable, atOnce: number): Readable {
  // The callback only keeps pipeline from throwing: the reader of the stream gets the error.
  return pipeline(file, createGunzip({ chunkSize: atOnce }), () => undefined);
}

function decode(bytes: Buffer, firstLine: number): LineBlock {
  if (isUtf8(bytes)) {
    return { text: bytes.toString('utf8'), firstLine, lines: newlinesIn(bytes) + 1, undecodable: [] };
  }
  const undecodable: LineBlock['undecodable'] = [];
  const lines: string[] = [];
  for (let end = -1; end !== bytes.length;) {
    const start = end + 1;
    const newline = bytes.indexOf(NEWLINE, start);
    end = newline === -1 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    if (isUtf8(line)) lines.push(line.toString('utf8'));
    else undecodable.push({ line: firstLine + lines.push('') - 1, bytes: Buffer.from(line) });
  }
  return { text: lines.join('\n'), firstLine, lines: lines.length, undecodable };
}

function newlinesIn(bytes: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) found++;
  return found;
}
