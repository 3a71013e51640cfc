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
  /** As packed, in memory of its own, that may be handed to another thread; null for a brand that nothing was answered for. */
  packed(brandId: string): Uint8Array<ArrayBuffer> | null;
  /** @throws Failure where the file is damaged. */
  names(brandId: string): BrandNames | null;
  close(): void;
}

export interface NamesFileWriter {
  has(brandId: string): boolean;
  add(brandId: string, packed: Uint8Array): void;
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
      writeSync(file, bytes);
      writeSync(file, Uint32Array.of(bytes.length, crc32(bytes)));
    },
    close: () => closeSync(file),
  };
}

/** @throws Failure where the file is damaged. */
export function openNamesFile(path: string): NamesFile {
  const file = openSync(path, 'r');
  const places = readIndex(file, path);
  /** Memory that is used again: what is unpacked from it is a copy. */
  let memory = new ArrayBuffer(0);
  return {
    path,
    brandIds: places.keys().toArray(),
    has: (brandId) => places.has(brandId),
    packed(brandId) {
      const place = places.get(brandId);
      return place === undefined ? null : readInto(new Uint8Array(place.bytes), file, place.offset);
    },
    names(brandId) {
      const place = places.get(brandId);
      if (place === undefined) return null;
      if (memory.byteLength < place.bytes) memory = new ArrayBuffer(2 * place.bytes);
      try {
        return unpackNames(readInto(new Uint8Array(memory, 0, place.bytes), file, place.offset));
      } catch (cause) {
        throw damaged(path, cause);
      }
    },
    close: () => closeSync(file),
  };
}

function readIndex(file: number, path: string): Map<string, { offset: number; bytes: number }> {
  const end = fstatSync(file).size - TRAILER_BYTES;
  if (end < 0) throw damaged(path);
  const trailer = new Uint32Array(readInto(new Uint8Array(TRAILER_BYTES), file, end).buffer);
  const [bytes, checksum] = trailer as unknown as [number, number];
  if (bytes === 0 || bytes > end) throw damaged(path);
  const index = readInto(new Uint8Array(bytes), file, end - bytes);
  if (crc32(index) !== checksum) throw damaged(path);
  const places = new Map<string, { offset: number; bytes: number }>();
  let offset = 0;
  for (const [brandId, length] of JSON.parse(new TextDecoder().decode(index)) as [string, number][]) {
    places.set(brandId, { offset, bytes: length });
    offset += length;
  }
  return places;
}

function readInto(bytes: Uint8Array<ArrayBuffer>, file: number, position: number): Uint8Array<ArrayBuffer> {
  for (let done = 0; done < bytes.length;) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done);
    if (count === 0) throw new Error('it is shorter than it says');
    done += count;
  }
  return bytes;
}

function damaged(path: string, cause?: unknown): Failure {
  return new Failure(`${path} is damaged; delete it, and the next run makes it again from the raw runs`, {
    cause,
  });
}
