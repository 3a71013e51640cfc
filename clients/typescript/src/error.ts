import type { components } from './api.ts';

/**
 * The codes of the API, and three of the client: `network` (no connection, or it broke), `timeout` (no complete
 * response within `timeoutMs`), `bad_response` (not a response of this API, such as the page of a proxy).
 */
export type ErrorCode =
  | components['schemas']['ApiError']['error']['code']
  | 'network'
  | 'timeout'
  | 'bad_response';

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
  /** `Retry-After` of the response; a date as the seconds until then, by the clock of the response. */
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
    retryAfterSeconds: retryAfterOf(headers),
  };
  const { code, message } = errorIn(body);
  if (code !== undefined && apiCodes.has(code))
    return new SightlineError(code as ErrorCode, `${path}: ${code}: ${message}`, details);
  const location = headers.get('location');
  const aside = location === null ? 'not a response of the API' : `redirected to ${location}`;
  return new SightlineError('bad_response', `${path}: status ${status}, ${aside}; check baseUrl`, details);
}

/** Seconds, given as a number or as an HTTP date (proxies send both); null for anything else. */
function retryAfterOf(headers: Headers): number | null {
  const header = headers.get('retry-after');
  const until = dateIn(header);
  if (until === null) return wholeNumber(header);
  return Math.max(0, Math.ceil((until - (dateIn(headers.get('date')) ?? Date.now())) / 1000));
}

/** Unix time in milliseconds; null for anything but the preferred format of RFC 9110. */
function dateIn(header: string | null): number | null {
  const isDate = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(header ?? '');
  const instant = isDate ? Date.parse(header!) : NaN;
  return Number.isNaN(instant) ? null : instant;
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
