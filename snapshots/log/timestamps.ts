import { createHash } from 'node:crypto';
import { Failure } from '../../lib/failure.ts';
import { readBody } from './read-body.ts';

const REQUEST_MS = 20_000;

/** The reply of an RFC 3161 authority over these bytes. @throws Failure if it gives none. */
export async function askAuthority(authority: string, data: Buffer, request: typeof fetch): Promise<Buffer> {
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
