import { complaintsAbout } from '../../../lib/documents/encode.ts';
import { errorBody } from '../../../lib/errors.ts';
import { snapshotProofSchema, snapshotsSchema } from '../../../lib/history/schemas.ts';
import type { Answer, Ask } from './types.ts';

/** What is wrong with a response; null if nothing. To check 2 % of the bodies takes a fifth of the CPU of a load tester. */
export function checkAnswer(ask: Ask, answer: Answer): string | null {
  const { status, body } = answer;
  const complaint = checkHead(ask, answer);
  if (complaint !== null || body === null || status === 304) return complaint;
  return checkBody(ask, status, body);
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
