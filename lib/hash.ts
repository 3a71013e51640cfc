import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Failure, reasonOf } from './failure.ts';

/** SHA-256 in lower-case hexadecimal, as in manifests, ETags and `sha256sum`. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}

/** As {@link sha256}, of a file of any size, in 1 MiB of memory. @throws Failure that names the file. */
export async function sha256OfFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  return digest.digest('hex');
}
