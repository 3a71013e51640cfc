import { complaintsAbout } from '../../../lib/documents/encode.ts';
import { errorBody } from '../../../lib/errors.ts';
import { sha256 } from '../../../lib/hash.ts';
import { snapshotProofSchema, snapshotsSchema } from '../../../lib/history/schemas.ts';
import type { Answer, Ask } from './types.ts';

/** Most bodies of a load are the same few documents; this many that were right are remembered. */
const MOST_REMEMBERED = 10_000;

/**
 * Returns a function that says what is wrong with a response; null if nothing. It checks equal bodies of an operation
 * once: checking 2 % of the bodies took a fifth of the CPU of the load tester.
 */
export function answerChecker(): (ask: Ask, answer: Answer) => string | null {
  const right = new Set<string>();
  return (ask, answer) => {
    const { status, body } = answer;
    const complaint = checkHead(ask, answer);
    if (complaint !== null || body === null || status === 304) return complaint;
    const known = `${status} ${ask.operation} ${sha256(body)}`;
    if (right.has(known)) return null;
    const wrong = checkBody(ask, status, body);
    if (wrong === null && right.size < MOST_REMEMBERED) right.add(known);
    return wrong;
  };
}

function checkHead(ask: Ask, { status, headers }: Answer): string | null {
  if (!ask.expected.includes(status)) return `status ${status}, expected ${ask.expected.join(' or ')}`;
  const hasAllowance =
    headers['x-ratelimit-limit'] !== undefined && headers['x-ratelimit-reset'] !== undefined;
  if (hasAllowance !== [200, 304, 429].includes(status)) return `X-RateLimit headers on ${status}`;
  if (status === 429 && !(Number(headers['retry-after']) >= 1)) return 'no Retry-After on 429';
  return null;
}

function checkBody(ask: Ask, status: number, body: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return 'a body that is no JSON';
  }
  if (status !== 200)
    return errorBody.safeParse(parsed).success ? null : 'an error without the body of an error';
  const { data } = parsed as { data: unknown };
  const complaint = complaintOf(ask, data);
  return complaint === undefined ? null : `${ask.operation}: ${complaint}`;
}

function complaintOf({ answer }: Ask, data: unknown): string | undefined {
  if (answer === 'snapshots') return snapshotsSchema.safeParse(data).error?.message;
  if (answer === 'proof') return snapshotProofSchema.safeParse(data).error?.message;
  return complaintsAbout(answer, data)[0];
}
