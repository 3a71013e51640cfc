import type { z } from 'zod';
import { Failure, reasonOf } from './failure.ts';

/**
 * The value of JSON bytes that follow a schema.
 * @param complaint what a message says of bytes that do not
 * @throws Failure `NAME cannot be read: REASON`, in one line
 */
export function decodeJson<T>(
  bytes: Buffer | string,
  schema: z.ZodType<T>,
  name: string,
  complaint = 'cannot be read',
): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new Failure(`${name} ${complaint}: ${reasonOf(error).split('\n')[0]}`, { cause: error });
  }
}

/**
 * As {@link decodeJson}, of bytes in canonical form: with it, no second text means the same, and no reader sees another meaning.
 * @param end what the canonical text ends with
 * @throws Failure also where the bytes are not the canonical form of their value
 */
export function decodeCanonical<T>(bytes: Buffer, schema: z.ZodType<T>, name: string, end = '\n'): T {
  const value = decodeJson(bytes, schema, name);
  if (!Buffer.from(`${JSON.stringify(value)}${end}`).equals(bytes))
    throw new Failure(`${name} is not in canonical form`);
  return value;
}
