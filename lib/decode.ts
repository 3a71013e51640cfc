import type { z } from 'zod';
import { Failure, reasonOf } from './failure.ts';

/**
 * Parses JSON bytes and validates them by a schema.
 * @param name of the object or file, for the message
 * @param complaint the predicate of the message
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
 * As {@link decodeJson}, for bytes in canonical form (the output of `JSON.stringify`, then `end`). A value has only one
 * canonical form, so two readers cannot read the same bytes differently.
 * @throws Failure also if the bytes are not the canonical form of their value
 */
export function decodeCanonical<T>(bytes: Buffer, schema: z.ZodType<T>, name: string, end = '\n'): T {
  const value = decodeJson(bytes, schema, name);
  if (!Buffer.from(`${JSON.stringify(value)}${end}`).equals(bytes))
    throw new Failure(`${name} is not in canonical form`);
  return value;
}
