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
 * as JSON, padded to four bytes, then the columns. Little-endian, as every machine that DuckDB runs on.
 */
export function packNames(names: BrandNames): Buffer {
  const spellings = names.spellings.map(({ subject, competitorId, name, entity, folded }): SpellingTuple => [
    subject,
    competitorId,
    name,
    entity,
    folded,
  ]);
  const texts = Buffer.from(JSON.stringify([names.prompts, spellings]));
  const columns = [
    names.series,
    names.observed,
    names.ends,
    names.spelling,
    names.entries,
    ...names.cycles,
  ].map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  const lengths = Int32Array.of(
    texts.length,
    names.series.length,
    names.spelling.length,
    names.cycles.length,
  );
  const padding = Buffer.alloc(-texts.length & 3, ' ');
  return zstdCompressSync(Buffer.concat([Buffer.from(lengths.buffer), texts, padding, ...columns]), packing);
}

/** @throws where the bytes are not what {@link packNames} made. */
export function unpackNames(packed: Buffer): BrandNames {
  const unpacked = zstdDecompressSync(packed);
  const bytes = unpacked.byteOffset % 4 === 0 ? unpacked : Buffer.from(Uint8Array.from(unpacked).buffer);
  let offset = 0;
  const integers = (length: number): Int32Array => {
    const column = new Int32Array(bytes.buffer, bytes.byteOffset + offset, length);
    offset += 4 * length;
    return column;
  };
  const [textBytes, series, rows, words] = integers(4) as unknown as [number, number, number, number];
  const [prompts, spellings] = JSON.parse(bytes.toString('utf8', offset, offset + textBytes)) as [
    string[],
    SpellingTuple[],
  ];
  offset += textBytes + (-textBytes & 3);
  return {
    prompts,
    spellings: spellings.map(([subject, competitorId, name, entity, folded]) => ({
      subject,
      competitorId,
      name,
      entity,
      folded,
    })),
    series: integers(series),
    observed: integers(series),
    ends: integers(series),
    spelling: integers(rows),
    entries: integers(rows),
    cycles: Array.from({ length: words }, () => integers(rows)),
  };
}
