import { Failure, reasonOf, Unreachable } from '../../failure.ts';

/** The fields of an AWS SDK error. */
interface S3Error {
  name: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

export function statusOf(error: unknown): number | undefined {
  return (error as S3Error).$metadata?.httpStatusCode;
}

/** True if the key has no object; false if the bucket is missing. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as S3Error).name !== 'NoSuchBucket';
}

/** True if a conditional write was refused because its condition is not met. */
export function isRefused(error: unknown, wantsObject: boolean): boolean {
  return statusOf(error) === 412 || (wantsObject && isMissing(error));
}

const PASSING = new Set([
  // A body was damaged in transit.
  'BadDigest',
  'XAmzContentSHA256Mismatch',
  // The body did not arrive in the time that the server waits for it.
  'RequestTimeout',
  // This machine's clock is wrong; the SDK corrects for it in the next request.
  'RequestTimeTooSkewed',
]);

/**
 * True if the same request may succeed a moment later. 409: two conditional writes collided, and a repeated one
 * learns which of them won.
 */
export function isPassing(error: unknown): boolean {
  if (PASSING.has(nameOf(error))) return true;
  const status = statusOf(error);
  return status === undefined
    ? isUnreachable(error as S3Error)
    : status >= 500 || status === 429 || status === 409;
}

function isUnreachable({ name, code }: S3Error): boolean {
  return name === 'TimeoutError' || (code !== undefined && unreachable.has(code));
}

/**
 * One line with the error, the object, the server and the remedy; the SDK's own messages name neither bucket nor
 * server. It contains no credentials.
 */
export function s3Failure(error: unknown, verb: string, where: { url: string; server: string }): Failure {
  if (error instanceof Failure) return error;
  const { url, server } = where;
  const text =
    CREDENTIALS.get(nameOf(error))?.(where) ?? `${url} cannot be ${verb}: ${reason(error, server)}`;
  return new (isAboutRequest(error) ? Failure : Unreachable)(text, { cause: error });
}

/** True if the server was reached and objects to this very request: repeating it would be in vain. */
function isAboutRequest(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return status >= 400 && ![401, 403, 404].includes(status) && !isPassing(error);
}

const CREDENTIALS = new Map([
  [
    'CredentialsProviderError',
    ({ url }: { url: string }) =>
      `no credentials for ${url}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE`,
  ],
  ['Region is missing', ({ url }) => `no region for ${url}: set AWS_REGION`],
]);

function nameOf(error: unknown): string {
  return reasonOf(error) === 'Region is missing' ? 'Region is missing' : (error as S3Error).name;
}

function reason(error: unknown, server: string): string {
  const name = nameOf(error);
  const status = statusOf(error);
  const code = name === 'Unknown' ? '' : ` ${name}`;
  if (name === 'NoSuchBucket') return `the bucket does not exist at ${server}`;
  if (name === 'SignatureDoesNotMatch') return `${server} refuses the credentials (SignatureDoesNotMatch)`;
  if (status === 401 || status === 403)
    return `access denied by ${server} (${status}${code}); s3:GetObject, s3:PutObject, s3:ListBucket are needed`;
  if (status !== undefined && status >= 300 && status < 400)
    return `${server} points elsewhere (${status}${code}); check AWS_REGION and S3_ENDPOINT`;
  if (status !== undefined) return `${server} answers ${status}${code}`;
  if (isUnreachable(error as S3Error))
    return `${server} does not answer (${(error as S3Error).code ?? 'time ran out'})`;
  return reasonOf(error);
}
