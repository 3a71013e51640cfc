import { expect } from 'vitest';
import { errorBody, errorTable } from '../../../lib/errors.ts';
import type { ErrorCode } from '../../../lib/errors.ts';
import type { Answer } from '../ask.ts';

/** Asserts that a response has exactly the API's error body and the headers of this error. */
export function expectError(answer: Answer, code: ErrorCode, method = 'GET'): Answer {
  const { status, message } = errorTable[code];
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: method === 'HEAD' ? '' : JSON.stringify({ error: { code, message } }),
  });
  if (method !== 'HEAD') errorBody.parse(JSON.parse(answer.text));
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

export function namesOf({ rawHeaders }: Answer): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0);
}
