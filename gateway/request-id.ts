import { randomBytes } from 'node:crypto';

const SPAN = 1296;
const endings = Array.from({ length: SPAN }, (_, n) => n.toString(36).padStart(2, '0'));

/** Ids that no two requests share, of this process or any other: random once, then counted. Cheap, not secret. */
export function requestIds(): () => string {
  const process = randomBytes(9).toString('base64url');
  let spans = 0;
  let next = SPAN;
  let beginning = '';
  return () => {
    if (next === SPAN) {
      beginning = `${process}-${(spans++).toString(36)}`;
      next = 0;
    }
    return beginning + endings[next++]!;
  };
}
