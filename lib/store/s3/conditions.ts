import { Failure } from '../../failure.ts';
import type { Condition, S3Bucket } from './bucket.ts';

/** The key of the probe object; its leading dot keeps it out of lists. */
const PROBE = '.conditional-writes';
const CONTENT = Buffer.from(
  'Written to find out whether this S3 server supports If-None-Match and If-Match.\n',
);
/** An MD5 that the probe's content does not have. */
const OTHER_ETAG = '00000000000000000000000000000000';

export interface Conditions {
  /** Formats an ETag for If-Match: RFC 9110 requires quotes, Ceph up to 16.2 refuses them. */
  formatETag: (etag: string) => string;
}

/**
 * Checks that a server supports conditional writes, before the first write. A store depends on them, and a server that
 * ignores a condition returns 200 and overwrites; so each condition is tried on a probe object, which stays.
 * @throws Failure if the server ignores or does not know them. A lease cannot replace them: a writer that is paused
 * longer than its lease would overwrite what another one committed.
 */
export async function probeConditions(bucket: S3Bucket, base: string, url: string): Promise<Conditions> {
  const key = `${base}${PROBE}`;
  const put = (condition: Condition) => bucket.put(key, CONTENT, condition);
  const isFirst = (await put('holds nothing')) !== null;
  if (isFirst && (await put('holds nothing')) !== null) throw ignored(url, 'If-None-Match');
  // Other jobs that start now may replace the probe between the read and the write; with encryption its ETag differs
  // then, and the write does not count as refused.
  for (let refused: string | undefined; ;) {
    const etag = (await bucket.get(key))?.etag;
    if (etag === undefined || etag === refused) break;
    for (const formatETag of [quoted, bare]) {
      if ((await put({ holds: formatETag(etag) })) === null) continue;
      if ((await put({ holds: formatETag(OTHER_ETAG) })) !== null) throw ignored(url, 'If-Match');
      return { formatETag };
    }
    refused = etag;
  }
  throw new Failure(`${url}: the S3 server refuses every If-Match, so that no snapshot could become current`);
}

const quoted = (etag: string) => `"${etag}"`;
const bare = (etag: string) => etag;

function ignored(url: string, header: string): Failure {
  return new Failure(
    `${url}: the S3 server ignores ${header} on writes, so that two jobs could overwrite each other; use one with conditional writes`,
  );
}
