import { randomBytes } from 'node:crypto';

/** Ids that no two requests share, of this process or any other: random once, then counted. Cheap, not secret. */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}
