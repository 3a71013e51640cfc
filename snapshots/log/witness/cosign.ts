import { createHash } from 'node:crypto';
import { readConfig } from '../../../lib/config.ts';
import type { Config } from '../../../lib/config.ts';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { cosignedKey, timestampKey } from '../../layout.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/note.ts';
import { readCheckpoint } from '../read.ts';
import { collectCosignatures, outcomeOf, readBody } from './cosignatures.ts';
import type { StampOutcome } from './cosignatures.ts';

/**
 * Collects cosignatures and a time stamp of the store's checkpoint, and keeps a cosigned copy. Publishing never waits for
 * them: it does not throw, and every run tries again.
 */
export async function collectStamps(
  store: ObjectStore,
  { WITNESS_URLS = [], TIMESTAMP_URL }: Pick<Config, 'WITNESS_URLS' | 'TIMESTAMP_URL'>,
  request: typeof fetch = fetch,
): Promise<StampOutcome[]> {
  if (WITNESS_URLS.length === 0 && TIMESTAMP_URL === undefined) return [];
  try {
    const cosigned = await collectCosignatures(store, WITNESS_URLS, request);
    const checkpoint = await readCheckpoint(store);
    if (checkpoint === null) return [{ from: store.url, failure: 'the store has no checkpoint' }];
    await keepCosigned(store, checkpoint);
    if (TIMESTAMP_URL === undefined) return cosigned;
    const stamp = async () => await stampHead(store, checkpoint, TIMESTAMP_URL, request);
    return [...cosigned, await outcomeOf(TIMESTAMP_URL, stamp)];
  } catch (error) {
    return [{ from: store.url, failure: reasonOf(error) }];
  }
}

/** As {@link collectStamps}, by the settings, at the end of a command that appended to the log: failures are warnings. */
export async function stampNewHead(store: ObjectStore): Promise<void> {
  for (const { from, failure } of await collectStamps(store, readConfig()))
    if (failure !== null)
      process.stderr.write(`sightline: ${from} did not stamp the head of the log: ${failure}\n`);
}

/** The next commit replaces the checkpoint and its cosignatures: a copy lets an auditor judge this head later. */
async function keepCosigned(store: ObjectStore, { size, note }: Checkpoint): Promise<void> {
  if (note.signatures.length < 2) return;
  const bytes = Buffer.from(formatNote(note));
  await store.create(cosignedKey(size, sha256(bytes)), bytes);
}

async function stampHead(
  store: ObjectStore,
  { size, note }: Checkpoint,
  authority: string,
  request: typeof fetch,
): Promise<void> {
  const key = timestampKey(size, authority);
  if ((await store.get(key)) !== null) return;
  await store.create(key, await askAuthority(authority, Buffer.from(note.text), request));
}

const REQUEST_MS = 20_000;

/** The reply of an RFC 3161 authority over these bytes. @throws Failure if it gives none. */
async function askAuthority(authority: string, data: Buffer, request: typeof fetch): Promise<Buffer> {
  const response = await request(authority, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query' },
    body: new Uint8Array(timestampQuery(data)),
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  const reply = await readBody(response);
  if (!response.ok) throw new Failure(`${authority} responded with status ${response.status}`);
  if (!isReplyFor(reply, data))
    throw new Failure(`${authority} did not respond with a time stamp of this head`);
  return reply;
}

/** A TimeStampReq in DER: version 1, the SHA-256 of the data, no nonce, with the certificate. 59 bytes. */
export function timestampQuery(data: Uint8Array): Buffer {
  const head = Buffer.from('30390201013031300d060960864801650304020105000420', 'hex');
  return Buffer.concat([head, sha256Of(data), Buffer.from('0101ff', 'hex')]);
}

/** id-ct-TSTInfo, 1.2.840.113549.1.9.16.1.4, as DER encodes it. */
const TST_INFO = Buffer.from('060b2a864886f70d0109100104', 'hex');

/** True if a reply has a token about this data. It proves nothing: `openssl ts -verify` checks what it claims. */
function isReplyFor(reply: Buffer, data: Uint8Array): boolean {
  const info = reply.indexOf(TST_INFO);
  return info !== -1 && reply[0] === 0x30 && reply.includes(sha256Of(data), info);
}

function sha256Of(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}
