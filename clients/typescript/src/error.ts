import type { components } from './api.ts';

/**
 * The codes of the API, and three of the client: `network` (no connection, or it broke), `timeout` (no complete
 * response within `timeoutMs`), `bad_response` (not a response of this API, such as the page of a proxy).
 */
export type ErrorCode =
  components['schemas']['ApiError']['error']['code'] | 'network' | 'timeout' | 'bad_response';

const apiCodes: ReadonlySet<string> = new Set<components['schemas']['ApiError']['error']['code']>([
  'missing_key',
  'invalid_key',
  'plan_required',
  'not_found',
  'rate_limited',
  'internal',
]);

export interface ErrorDetails {
  /** The HTTP status; null without a response. */
  status?: number | null;
  /** `X-Request-Id` of the response: quote it when you report a problem. */
  requestId?: string | null;
  /** `Retry-After` of the response. */
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

/** The one error of the client. Branch on `code`; the message is for people. */
export class SightlineError extends Error {
  readonly code: ErrorCode;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'SightlineError';
    this.code = code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** The error for a response that is not a success. */
export function errorOf(path: string, response: Response, body: string): SightlineError {
  const { status, headers } = response;
  const details = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: wholeNumber(headers.get('retry-after')),
  };
  const { code, message } = errorIn(body);
  if (code !== undefined && apiCodes.has(code))
    return new SightlineError(code as ErrorCode, `${path}: ${code}: ${message}`, details);
  const location = headers.get('location');
  const aside = location === null ? 'not a response of the API' : `redirected to ${location}`;
  return new SightlineError('bad_response', `${path}: status ${status}, ${aside}; check baseUrl`, details);
}

/** A header that is a whole number; null for everything else. */
export function wholeNumber(header: string | null): number | null {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;
}

function errorIn(body: string): { code?: string; message?: string } {
  try {
    return (JSON.parse(body) as { error?: { code?: string; message?: string } }).error ?? {};
  } catch {
    return {};
  }
}
