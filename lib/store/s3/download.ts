import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { Failure } from '../../failure.ts';
import { tooLarge } from '../store.ts';

/** Streams an object into a file. @throws Failure if its bytes do not match the SHA-256 in its metadata. */
export async function saveObject(object: GetObjectCommandOutput, path: string, url: string): Promise<void> {
  const digest = createHash('sha256');
  await pipeline(
    object.Body as Readable,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        digest.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  const expected = object.Metadata?.['sha256'];
  if (expected !== undefined && digest.digest('hex') !== expected)
    throw new Failure(`${url} does not contain the bytes it was written with`);
}

/** The bytes of an object. @throws Failure if it has more than `mostBytes`; the rest is not read. */
export async function bytesOf(
  object: GetObjectCommandOutput,
  url: string,
  mostBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of object.Body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw tooLarge(url, mostBytes); // leaving the loop closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
