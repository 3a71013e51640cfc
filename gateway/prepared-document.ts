import { constants, brotliCompress, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { DocumentHeads } from './document-head.ts';
import { encodings } from './negotiation.ts';
import type { Encoding } from './negotiation.ts';

/** A document as it goes over the wire, in every coding. */
export interface PreparedDocument {
  variants: Record<Encoding, Variant>;
  /** The entity tags of all variants. */
  tags: string[];
  /** What it takes in memory, roughly. */
  bytes: number;
}

export interface Variant {
  encoding: Encoding;
  /** Strong: the hash of the content, and the coding. */
  tag: string;
  body: Buffer;
  /** Spelled when it is first sent. */
  heads: DocumentHeads | null;
}

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/**
 * Level 5 of 11: for documents of 6 KB within 3 % of the size of level 9, in a quarter of its time; done once per
 * document and off the main thread.
 */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Headers, tags and table entries that come with a document. */
const OVERHEAD_BYTES = 2048;

/** `contentHash`: SHA-256 of the bytes, as the manifest has it. */
export async function prepareDocument(body: Buffer, contentHash: string): Promise<PreparedDocument> {
  const [br, gz] = await Promise.all([compressBrotli(body, brotliOptions), compressGzip(body)]);
  const variants: Record<Encoding, Variant> = {
    identity: variantOf('identity', `"${contentHash}"`, body),
    gzip: variantOf('gzip', `"${contentHash}-gzip"`, gz),
    br: variantOf('br', `"${contentHash}-br"`, br),
  };
  return {
    variants,
    tags: encodings.map((encoding) => variants[encoding].tag),
    bytes: body.length + gz.length + br.length + OVERHEAD_BYTES,
  };
}

function variantOf(encoding: Encoding, tag: string, body: Buffer): Variant {
  return { encoding, tag, body, heads: null };
}
