import { createHash } from 'node:crypto';
import { Failure, reasonOf } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { KEPT_CHECKPOINTS, keptCheckpointKey, timestampKey } from './layout.ts';
import { readBody } from './read-body.ts';

export interface StampOutcome {
  /** The tree size of the checkpoint. */
  size: number;
  /** Why it was not stamped; null if it was. */
  failure: string | null;
}

const REQUEST_MS = 20_000;
/** The most requests per append: after a long outage of the authority, several appends catch up. */
const STAMPS_AT_MOST = 50;

/**
 * Gets a time stamp (RFC 3161) for every kept checkpoint that has none, oldest first, and stores the authority's reply
 * next to it. Stops at the first failure, which is reported and retried by the next append.
 */
export async function stampCheckpoints(
  store: ObjectStore,
  authority: string,
  request: typeof fetch = fetch,
): Promise<StampOutcome[]> {
  const outcomes: StampOutcome[] = [];
  for (const size of (await unstampedSizes(store)).slice(0, STAMPS_AT_MOST)) {
    try {
      const object = await store.get(keptCheckpointKey(size));
      if (object === null) continue;
      await store.create(timestampKey(size), await askAuthority(authority, object.bytes, request));
      outcomes.push({ size, failure: null });
    } catch (error) {
      outcomes.push({ size, failure: reasonOf(error) });
      break;
    }
  }
  return outcomes;
}

async function unstampedSizes(store: ObjectStore): Promise<number[]> {
  const names = new Set<string>();
  for await (const { key } of store.list(KEPT_CHECKPOINTS)) names.add(key.slice(KEPT_CHECKPOINTS.length));
  return [...names]
    .filter((name) => /^\d+$/.test(name) && !names.has(`${name}.tsr`))
    .map(Number)
    .toSorted((a, b) => a - b);
}

async function askAuthority(authority: string, data: Buffer, request: typeof fetch): Promise<Buffer> {
  const response = await request(authority, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query' },
    body: new Uint8Array(timestampQuery(data)),
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  const reply = await readBody(response);
  if (!response.ok) throw new Failure(`${authority} responded with status ${response.status}`);
  if (stampedAt(reply, data) === null)
    throw new Failure(`${authority} did not respond with a time stamp of this checkpoint`);
  return reply;
}

/** A TimeStampReq in DER: version 1, the SHA-256 of the data, no nonce, with the certificate. 59 bytes. */
export function timestampQuery(data: Uint8Array): Buffer {
  const head = Buffer.from('30390201013031300d060960864801650304020105000420', 'hex');
  return Buffer.concat([head, sha256Of(data), Buffer.from('0101ff', 'hex')]);
}

/** id-ct-TSTInfo, 1.2.840.113549.1.9.16.1.4, as DER encodes it. */
const TST_INFO = Buffer.from('060b2a864886f70d0109100104', 'hex');

/**
 * The time in an RFC 3161 reply for this data, in milliseconds since the Unix epoch; null if the reply is not granted
 * or not for this data. It proves nothing by itself: `openssl ts -verify` checks the authority's signature.
 */
export function stampedAt(reply: Buffer, data: Uint8Array): number | null {
  const info = reply.indexOf(TST_INFO);
  if (info === -1 || reply[0] !== 0x30) return null;
  const hash = reply.indexOf(sha256Of(data), info);
  if (hash === -1) return null;
  // genTime is the first GeneralizedTime after the hash: fourteen digits, an optional fraction, Z.
  const text = reply.toString('latin1', hash + 32, hash + 128);
  const [, y, mo, d, h, mi, s] = /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z/.exec(text) ?? [];
  return y === undefined ? null : Date.UTC(+y, +mo! - 1, +d!, +h!, +mi!, +s!);
}

function sha256Of(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}
