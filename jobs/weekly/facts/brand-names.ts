import { crc32 } from 'node:zlib';

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

/** Without what follows from the name, where it is plain. */
type SpellingTuple = [
  subject: string,
  competitorId: string | null,
  name: string,
  entity?: string,
  folded?: string,
];

const HEADER_INTEGERS = 5;

/**
 * As it lies in a names file: a checksum of what follows and four lengths (of the texts in bytes; of series, rows and
 * words), the texts as JSON, then the columns, each as its width in bytes (1, 2 or 4) and its integers, padded to four
 * bytes. Little-endian, as every machine that DuckDB runs on. Not compressed: zstd made it a half, in as long as all
 * else that is done with it but the documents.
 */
export function packNames(names: BrandNames): Uint8Array<ArrayBuffer> {
  const { prompts, spellings, series, spelling, cycles } = names;
  const texts = Buffer.from(JSON.stringify([prompts, spellings.map(tupleOf)]));
  const columns = [series, names.observed, names.ends, spelling, names.entries, ...cycles].map(narrowed);
  const bytes = columns.reduce(
    (sum, column) => sum + 4 + padded(column.byteLength),
    4 * HEADER_INTEGERS + padded(texts.length),
  );
  const packed = new Uint8Array(bytes);
  const header = new Int32Array(packed.buffer, 0, HEADER_INTEGERS);
  header.set([0, texts.length, series.length, spelling.length, cycles.length]);
  packed.set(texts, header.byteLength);
  let offset = header.byteLength + padded(texts.length);
  for (const column of columns) {
    new Int32Array(packed.buffer, offset, 1)[0] = column.BYTES_PER_ELEMENT;
    packed.set(bytesOf(column), offset + 4);
    offset += 4 + padded(column.byteLength);
  }
  header[0] = crc32(packed.subarray(4));
  return packed;
}

/**
 * @param packed aligned to four bytes
 * @throws where the bytes are not what {@link packNames} made.
 */
export function unpackNames(packed: Uint8Array<ArrayBuffer>): BrandNames {
  const { buffer, byteOffset } = packed;
  const [checksum, textBytes, series, rows, words] = new Int32Array(
    buffer,
    byteOffset,
    HEADER_INTEGERS,
  ) as unknown as [number, number, number, number, number];
  if ((crc32(packed.subarray(4)) | 0) !== checksum) throw new Error('its checksum is wrong');
  let offset = 4 * HEADER_INTEGERS;
  const advance = (length: number): number => {
    const at = byteOffset + offset;
    offset += padded(length);
    return at;
  };
  const texts = Buffer.from(buffer, advance(textBytes), textBytes);
  const [prompts, spellings] = JSON.parse(texts.toString('utf8')) as [string[], SpellingTuple[]];
  const column = (length: number): Int32Array => {
    const [width] = new Int32Array(buffer, advance(4), 1) as unknown as [number];
    const Narrow = width === 1 ? Uint8Array : width === 2 ? Uint16Array : Int32Array;
    return new Int32Array(new Narrow(buffer, advance(width * length), length));
  };
  return {
    prompts,
    spellings: spellings.map((tuple) => spellingFrom(...tuple)),
    series: column(series),
    observed: column(series),
    ends: column(series),
    spelling: column(rows),
    entries: column(rows),
    cycles: Array.from({ length: words }, () => column(rows)),
  };
}

/**
 * A spelling as read: entity and folded are absent where the name is *plain*, printable ASCII without a space at either
 * end or two together. It is tidy then, and its lower case is that of ASCII.
 */
export function spellingFrom(
  subject: string,
  competitorId: string | null,
  name: string,
  entity?: string | null,
  folded?: string | null,
): Spelling {
  return { subject, competitorId, name, entity: entity ?? name, folded: folded ?? name.toLowerCase() };
}

/** The same rule as `is_plain` of jobs/sql/macros.sql. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

function tupleOf({ subject, competitorId, name, entity, folded }: Spelling): SpellingTuple {
  return PLAIN.test(name) ? [subject, competitorId, name] : [subject, competitorId, name, entity, folded];
}

function padded(length: number): number {
  return length + (-length & 3);
}

/** A set of 32 cycles may be negative as an integer, and needs all four bytes. */
function narrowed(column: Int32Array): Uint8Array | Uint16Array | Int32Array {
  let all = 0;
  for (const value of column) all |= value;
  if (all < 0 || all > 0xffff) return column;
  return all > 0xff ? new Uint16Array(column) : new Uint8Array(column);
}

function bytesOf(column: Uint8Array | Uint16Array | Int32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
