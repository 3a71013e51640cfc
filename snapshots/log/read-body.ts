import { Failure } from '../../lib/failure.ts';

const MOST_BYTES = 64 * 1024;

/** The body of a response of a witness or a time-stamp authority. @throws Failure if it is longer than 64 KiB. */
export async function readBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MOST_BYTES) throw new Failure(`the response is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
