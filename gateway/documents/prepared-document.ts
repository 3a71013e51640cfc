import { constants, brotliCompress, gzip } from 'node:zlib';
import type { BrotliOptions } from 'node:zlib';
import { promisify } from 'node:util';
import type { Encoding } from '../http/negotiation.ts';

/** A document as it is sent, in each content coding. */
export interface PreparedDocument {
  variants: Record<Encoding, Variant>;
  /** Approximate memory, in bytes. */
  bytes: number;
}

export interface Variant {
  encoding: Encoding;
  /** The strong ETag: the hash of the content, and the coding. */
  tag: string;
  body: Buffer;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/**
 * Level 5 of 11: documents of 6 KB are within 3 % of the size of level 9, in a quarter of its time. Done once per
 * document, off the main thread. The window is no larger than the document: the default takes megabytes for each.
 */
function brotliOptions(bytes: number): BrotliOptions {
  const window = Math.min(22, Math.max(10, Math.ceil(Math.log2(bytes + 16))));
  return {
    chunkSize: chunkFor(bytes),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: window,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

/** Memory of a document besides its bytes (tags, map entries, allocator): measured with 7,000 documents of 6 KB. */
const OVERHEAD_BYTES = 4096;

/** Compresses a document. @param contentHash SHA-256 of the bytes, as in the manifest */
export async function prepareDocument(body: Buffer, contentHash: string): Promise<PreparedDocument> {
  const [br, gz] = await Promise.all([
    compressBrotli(body, brotliOptions(body.length)),
    compressGzip(body, { chunkSize: chunkFor(body.length) }),
  ]);
  const [plain, brotli, gzipped] = [body, br, gz].map(inItsOwnMemory);
  const variants: Record<Encoding, Variant> = {
    identity: { encoding: 'identity', tag: `"${contentHash}"`, body: plain! },
    gzip: { encoding: 'gzip', tag: `"${contentHash}-gzip"`, body: gzipped! },
    br: { encoding: 'br', tag: `"${contentHash}-br"`, body: brotli! },
  };
  return { variants, bytes: body.length + gz.length + br.length + OVERHEAD_BYTES };
}

/** A document that is sent without a content coding, whatever the client accepts. @param tag without quotes */
export function uncompressedDocument(body: Buffer, tag: string): PreparedDocument {
  const identity: Variant = { encoding: 'identity', tag: `"${tag}"`, body };
  return { variants: { identity, gzip: identity, br: identity }, bytes: body.length + OVERHEAD_BYTES };
}

/** The size that is usually needed: output buffers are garbage once copied, and the default is 16 KB. */
function chunkFor(bytes: number): number {
  return Math.max(1024, bytes >> 2);
}

/** Copies a part of a buffer: a slice would keep the whole buffer in memory. */
function inItsOwnMemory(part: Buffer): Buffer {
  if (part.buffer.byteLength === part.length) return part;
  const own = Buffer.allocUnsafeSlow(part.length);
  part.copy(own);
  return own;
}
