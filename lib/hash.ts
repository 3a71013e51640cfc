import { hash } from 'node:crypto';

/** SHA-256 in lower-case hexadecimal, as manifests, ETags and `sha256sum` spell it. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}
