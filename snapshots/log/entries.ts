import { z } from 'zod';
import { decodeCanonical } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';

/**
 * The log's entry for one published snapshot. A proof reveals only this entry: of all others it contains hashes.
 */
export const logEntrySchema = z.strictObject({
  workspaceId: z.guid(),
  /** 1 for the first snapshot of the workspace. */
  sequence: z.int().positive(),
  snapshotId: z.string().min(1),
  manifestSha256: z.string().regex(/^[0-9a-f]{64}$/),
  publishedAt: z.iso.datetime(),
});
export type LogEntry = z.infer<typeof logEntrySchema>;

/** Canonical JSON: keys in the schema's order, no white space, no newline. */
export function encodeEntry(entry: LogEntry): Buffer {
  return Buffer.from(JSON.stringify(logEntrySchema.parse(entry)));
}

/** @throws Failure if the bytes are not an entry in canonical form. */
export function decodeEntry(bytes: Buffer, name: string): LogEntry {
  return decodeCanonical(bytes, logEntrySchema, name, '');
}

/** An entry bundle (c2sp.org/tlog-tiles): each entry after its length as two bytes, big-endian. */
export function encodeBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** @throws Failure if the bytes are not exactly `count` entries. */
export function decodeBundle(bytes: Buffer, count: number, name: string): Buffer[] {
  const entries: Buffer[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) break;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  if (at !== bytes.length || entries.length !== count)
    throw new Failure(`${name} is not a bundle of ${count} entries`);
  return entries;
}
