import { z } from 'zod';
import { Failure, NewerVersion, reasonOf } from './failure.ts';

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

/** What was read, and what of it this version does not know: the places of fields. */
export interface Decoded<T> {
  value: T;
  unknown: string[];
}

/**
 * As {@link decodeJson}, for bytes in canonical form: the output of `JSON.stringify`, then `end`. Fields that the strict
 * schema does not have are left out and named, because a newer version may have written them.
 * @throws Failure also if the bytes are not in canonical form
 * @throws NewerVersion if their `format` is newer than the schema's
 */
export function decodeKnown<T>(bytes: Buffer, schema: z.ZodType<T>, name: string, end = '\n'): Decoded<T> {
  const json = decodeJson(bytes, anything, name);
  if (!Buffer.from(`${JSON.stringify(json)}${end}`).equals(bytes))
    throw new Failure(`${name} is not in canonical form`);
  const { error } = schema.safeParse(json);
  if (error !== undefined) refuseNewerFormat(json, error, name);
  const unknown = (error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [],
  );
  for (const path of unknown) remove(json, path);
  return {
    value: decodeJson(JSON.stringify(json), schema, name),
    unknown: unknown.map((path) => path.join('.')),
  };
}

/**
 * As {@link decodeKnown}, for what is written again later: what this version does not know would be lost.
 * @throws NewerVersion also if it has unknown fields
 */
export function decodeCanonical<T>(bytes: Buffer, schema: z.ZodType<T>, name: string, end = '\n'): T {
  const { value, unknown } = decodeKnown(bytes, schema, name, end);
  if (unknown.length > 0) throw new NewerVersion(name, unknown.join(', '));
  return value;
}

const anything = z.unknown();
const withFormat = z.object({ format: z.number() });

function refuseNewerFormat(json: unknown, { issues }: z.ZodError, name: string): void {
  const known = issues.find(({ path }) => path.join('.') === 'format');
  if (known?.code !== 'invalid_value') return;
  const format = withFormat.safeParse(json).data?.format;
  if (format !== undefined && format > Math.max(...known.values.map(Number)))
    throw new NewerVersion(name, `format ${format}`);
}

function remove(json: unknown, path: readonly PropertyKey[]): void {
  let at = json as Record<PropertyKey, unknown>;
  for (const part of path.slice(0, -1)) at = at[part] as typeof at;
  delete at[path.at(-1)!];
}
