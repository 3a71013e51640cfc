import { createHash, hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { READ_WITHOUT_WAITING, checkRegular } from './files.ts';

const CHUNK_BYTES = 1 << 20;

/** Shared by all calls, which are synchronous and so never overlap. */
const chunk = Buffer.allocUnsafe(CHUNK_BYTES);

/**
 * Size in bytes and SHA-256 of a file of any size, in 1 MiB of memory; null if there is none. Synchronous: with
 * promises, 10,000 documents of 8 KB took 3 times as long. It blocks the event loop, so servers must not use it.
 */
export function hashFile(path: string): { bytes: number; sha256: string } | null {
  const file = openOrNull(path);
  if (file === null) return null;
  try {
    checkRegular(fstatSync(file), path);
    const small = fill(file);
    if (small < CHUNK_BYTES) return { bytes: small, sha256: hash('sha256', chunk.subarray(0, small), 'hex') };
    const whole = createHash('sha256').update(chunk);
    let bytes = small;
    for (let read = fill(file); read > 0; read = fill(file)) {
      whole.update(chunk.subarray(0, read));
      bytes += read;
    }
    return { bytes, sha256: whole.digest('hex') };
  } finally {
    closeSync(file);
  }
}

/** Reads until the chunk is full or the file ends: a network file system may return less at a time. */
function fill(file: number): number {
  let filled = 0;
  while (filled < CHUNK_BYTES) {
    const read = readSync(file, chunk, filled, CHUNK_BYTES - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, READ_WITHOUT_WAITING);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
