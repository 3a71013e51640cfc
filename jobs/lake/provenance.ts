import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';

/** A SHA-256. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/);
export const count = z.int().nonnegative();
/** Why records of an export have to be mended, or are not in the drop. */
export const findingSchema = z.object({
  kind: z.enum(['to mend', 'skipped', 'left out', 'merged', 'skipped on purpose', 'missing']),
  reason: z.string(),
  /** Null if nobody knows it, of answers that are missing. */
  records: count.nullable(),
});

/** The origin of an imported drop: its `import.json`, which the ledger keeps with the delivery. */
export const provenanceSchema = z.object({
  format: z.literal(1),
  /** The version of Sightline that made the drop. */
  version: z.string(),
  mapping: z.object({ name: z.string(), sha256: digest }),
  settings: z.record(z.string(), z.string()),
  engines: z.record(z.string(), z.string()),
  cycles: z.enum(['weekly', 'daily']),
  sources: z.array(z.object({ file: z.string(), sha256: digest, bytes: count })),
  /** Answers that the mapping gave. */
  read: count,
  /** Those that are no runs for what is wrong with them. */
  skipped: count,
  /** Runs in the drop. */
  kept: count,
  /** What else is not in the drop, and why. */
  findings: z.array(findingSchema),
});

export type Provenance = z.infer<typeof provenanceSchema>;

export const PROVENANCE_FILE = 'import.json';

/** Reads the provenance of a drop; null if it was not imported. @throws Failure that names a file which cannot be read. */
export async function readProvenance(drop: string): Promise<Provenance | null> {
  const path = join(drop, PROVENANCE_FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new Failure(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  return text === null ? null : decodeJson(text, provenanceSchema, path);
}
