import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Failure, reasonOf } from './failure.ts';

/** SHA-256 in lower-case hexadecimal, as in manifests, ETags and `sha256sum`. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}

/** The same of a file, in memory of a megabyte whatever its size. @throws Failure that names it. */
export async function sha256OfFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
      digest.update(chunk as Buffer);
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  return digest.digest('hex');
}
