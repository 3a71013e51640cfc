import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** A spelling by which somebody was named: as a mention entry has it, tidy, and tidy in lower case. */
export interface Spelling {
  subject: string;
  competitorId: string | null;
  name: string;
  entity: string;
  folded: string;
}

/**
 * Who was named in answers to a brand's prompts over some cycles. A *series* is a prompt on an engine, numbered prompt
 * * 8 + the engine's place among all slugs; a *row* is a spelling in a series. Columns of integers, because a brand has
 * thousands of rows and a job thousands of brands: an object for each row would take ten times as long.
 */
export interface BrandNames {
  /** Ids of the prompts that were answered; a series counts them from 0. */
  prompts: readonly string[];
  spellings: readonly Spelling[];
  /** The series that were answered, ascending. */
  series: Int32Array;
  /** In how many cycles each of them was answered. */
  observed: Int32Array;
  /** Where the rows of each of them end; they begin where those of the one before end. */
  ends: Int32Array;
  /** Of each row, its place in `spellings`. */
  spelling: Int32Array;
  /** Of each row, its mention entries. */
  entries: Int32Array;
  /** Of each row, the cycles as a set of bits, 32 to a word: `cycles[word][row]`. */
  cycles: readonly Int32Array[];
}

export const ENGINES_IN_SERIES = 8;
export const CYCLES_IN_WORD = 32;

type SpellingTuple = [string, string | null, string, string, string];

/** Level 1: packs to a sixth, at ten times the speed of the default. The checksum tells a damaged file. */
const packing = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

/**
 * As it lies in a names file, compressed: four lengths (of the texts in bytes; of series, rows and words), the texts
 * as JSON, then the columns, each as its width in bytes (1, 2 or 4) and its integers, padded to four bytes. Little-endian,
 * as every machine that DuckDB runs on. Narrow, because what is packed and unpacked is a fifth of the whole job's work.
 */
export function packNames(names: BrandNames): Buffer {
  const { prompts, spellings, series, spelling, cycles } = names;
  const texts = Buffer.from(JSON.stringify([prompts, spellings.map(tupleOf)]));
  const columns = [series, names.observed, names.ends, spelling, names.entries, ...cycles];
  const parts = [bytesOf(Int32Array.of(texts.length, series.length, spelling.length, cycles.length)), texts];
  parts.push(Buffer.alloc(-texts.length & 3, ' '));
  for (const column of columns) {
    const narrow = narrowed(column);
    parts.push(bytesOf(Int32Array.of(narrow.BYTES_PER_ELEMENT)), bytesOf(narrow));
    parts.push(Buffer.alloc(-narrow.byteLength & 3));
  }
  return zstdCompressSync(Buffer.concat(parts), packing);
}

/** @throws where the bytes are not what {@link packNames} made. */
export function unpackNames(packed: Buffer): BrandNames {
  const unpacked = zstdDecompressSync(packed);
  const bytes = unpacked.byteOffset % 4 === 0 ? unpacked : Buffer.from(Uint8Array.from(unpacked).buffer);
  let offset = 0;
  const advance = (length: number): number => {
    const at = bytes.byteOffset + offset;
    offset += length + (-length & 3);
    return at;
  };
  const [textBytes, series, rows, words] = new Int32Array(bytes.buffer, advance(16), 4) as unknown as [
    number,
    number,
    number,
    number,
  ];
  const [prompts, spellings] = JSON.parse(bytes.toString('utf8', offset, offset + textBytes)) as [
    string[],
    SpellingTuple[],
  ];
  advance(textBytes);
  const column = (length: number): Int32Array => {
    const [width] = new Int32Array(bytes.buffer, advance(4), 1) as unknown as [number];
    const Narrow = width === 1 ? Uint8Array : width === 2 ? Uint16Array : Int32Array;
    return new Int32Array(new Narrow(bytes.buffer, advance(width * length), length));
  };
  return {
    prompts,
    spellings: spellings.map(spellingOf),
    series: column(series),
    observed: column(series),
    ends: column(series),
    spelling: column(rows),
    entries: column(rows),
    cycles: Array.from({ length: words }, () => column(rows)),
  };
}

function tupleOf({ subject, competitorId, name, entity, folded }: Spelling): SpellingTuple {
  return [subject, competitorId, name, entity, folded];
}

function spellingOf([subject, competitorId, name, entity, folded]: SpellingTuple): Spelling {
  return { subject, competitorId, name, entity, folded };
}

/** A set of 32 cycles may be negative as an integer, and needs all four bytes. */
function narrowed(column: Int32Array): Uint8Array | Uint16Array | Int32Array {
  let all = 0;
  for (const value of column) all |= value;
  if (all < 0 || all > 0xffff) return column;
  return all > 0xff ? new Uint16Array(column) : new Uint8Array(column);
}

function bytesOf(column: Uint8Array | Uint16Array | Int32Array): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
}
