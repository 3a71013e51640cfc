import { expect } from 'vitest';
import type { Answer } from '../ask.ts';

/** The errors of the API, as docs/api.md promises them. */
export const errorTable = {
  missing_key: {
    status: 401,
    message:
      'No API key was sent. Send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>".',
  },
  invalid_key: { status: 401, message: 'The API key is malformed, unknown or revoked.' },
  plan_required: { status: 402, message: 'The plan of this workspace does not include API access.' },
  not_found: { status: 404, message: 'There is nothing here for this key.' },
  rate_limited: {
    status: 429,
    message: 'The workspace has used up its requests for this minute. Wait for the seconds in Retry-After.',
  },
  internal: { status: 500, message: 'The service failed. Try again with backoff.' },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** Asserts that a response has exactly the API's error body and the headers of this error. */
export function expectError(answer: Answer, code: ErrorCode, method = 'GET'): Answer {
  const { status, message } = errorTable[code];
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: method === 'HEAD' ? '' : JSON.stringify({ error: { code, message } }),
  });
  const { headers } = answer;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-request-id']).toMatch(/^[\w-]+$/);
  expect(headers['x-ratelimit-limit'] !== undefined).toBe(status === 429);
  expect(headers['retry-after'] !== undefined).toBe(status === 429);
  expect(headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  expect(headers.etag).toBeUndefined();
  expect(Object.keys(headers).filter((header) => header.startsWith('access-control'))).toEqual([]);
  return answer;
}

/** True for the body of an error of the API, and nothing else in it. */
export function isErrorBody(text: string): boolean {
  const { error } = JSON.parse(text) as { error?: { code: string } };
  const known = Object.entries(errorTable).find(([code]) => code === error?.code);
  return (
    known !== undefined && text === JSON.stringify({ error: { code: known[0], message: known[1].message } })
  );
}
