import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Failure } from '../../../lib/failure.ts';
import { unpackNames } from './brand-names.ts';
import type { BrandNames } from './brand-names.ts';

/**
 * A names file: the packed names of many brands, one after the other, then an index (JSON: brand id and bytes of each),
 * then the length and the CRC-32 of the index. Any brand is read alone, so that documents come in the order of
 * publication, whatever the order of the file, and a job holds one brand in memory.
 */
export interface NamesFile {
  path: string;
  brandIds: readonly string[];
  has(brandId: string): boolean;
  /** As packed; null for a brand that nothing was answered for. */
  packed(brandId: string): Buffer | null;
  /** @throws Failure where the file is damaged. */
  names(brandId: string): BrandNames | null;
  close(): void;
}

export interface NamesFileWriter {
  has(brandId: string): boolean;
  add(brandId: string, packed: Buffer): void;
  /** Without it the file is worth nothing. */
  finish(): void;
  close(): void;
}

const TRAILER_BYTES = 8;

export function createNamesFile(path: string): NamesFileWriter {
  const file = openSync(path, 'w');
  const index = new Map<string, number>();
  return {
    has: (brandId) => index.has(brandId),
    add(brandId, packed) {
      writeSync(file, packed);
      index.set(brandId, packed.length);
    },
    finish() {
      const bytes = Buffer.from(JSON.stringify([...index]));
      const trailer = Buffer.alloc(TRAILER_BYTES);
      trailer.writeUInt32LE(bytes.length, 0);
      trailer.writeUInt32LE(crc32(bytes), 4);
      writeSync(file, Buffer.concat([bytes, trailer]));
    },
    close: () => closeSync(file),
  };
}

/** @throws Failure where the file is damaged. */
export function openNamesFile(path: string): NamesFile {
  const file = openSync(path, 'r');
  const places = readIndex(file, path);
  const packed = (brandId: string): Buffer | null => {
    const place = places.get(brandId);
    return place === undefined ? null : read(file, place.offset, place.bytes);
  };
  return {
    path,
    brandIds: places.keys().toArray(),
    has: (brandId) => places.has(brandId),
    packed,
    names(brandId) {
      const bytes = packed(brandId);
      if (bytes === null) return null;
      try {
        return unpackNames(bytes);
      } catch (cause) {
        throw damaged(path, cause);
      }
    },
    close: () => closeSync(file),
  };
}

function readIndex(file: number, path: string): Map<string, { offset: number; bytes: number }> {
  const { size } = fstatSync(file);
  const trailer = read(file, Math.max(0, size - TRAILER_BYTES), TRAILER_BYTES);
  const bytes = trailer.readUInt32LE(0);
  if (bytes === 0 || bytes > size - TRAILER_BYTES) throw damaged(path);
  const index = read(file, size - TRAILER_BYTES - bytes, bytes);
  if (crc32(index) !== trailer.readUInt32LE(4)) throw damaged(path);
  const places = new Map<string, { offset: number; bytes: number }>();
  let offset = 0;
  for (const [brandId, length] of JSON.parse(index.toString('utf8')) as [string, number][]) {
    places.set(brandId, { offset, bytes: length });
    offset += length;
  }
  return places;
}

function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const count = readSync(file, bytes, done, length - done, position + done);
    if (count === 0) break; // shorter than it says: what is missing stays zero, and a checksum tells
    done += count;
  }
  return bytes;
}

function damaged(path: string, cause?: unknown): Failure {
  return new Failure(`${path} is damaged; delete it, and the next run makes it again from the raw runs`, {
    cause,
  });
}
