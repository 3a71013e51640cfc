import { constants } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeJson } from '../../../lib/decode.ts';
import { sha256OfFile } from '../../../lib/hash.ts';
import { digest } from '../../lake/provenance.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { BASES, FACTS, FACT_FILE } from './layout.ts';
import { factRelations, noParts } from './parts.ts';
import type { Parts } from './parts.ts';

/** The file that lists what a fact consists of. It is written last: without it there is no fact. */
const factSchema = z.strictObject({
  format: z.literal(1),
  /** Its own prefix, so that it cannot be taken for another fact. */
  fact: z.string(),
  /** The lowest bit of a row's `cycles_0` is the first of them. */
  cycles: z.array(z.iso.date()),
  parts: z.array(
    z.strictObject({
      relation: z.enum(factRelations),
      file: z.string().regex(/^[a-z_]+-[0-9a-f]{16}\.parquet$/),
      sha256: digest,
    }),
  ),
});

/** The keys of the files of all stored facts and bases. */
export async function storedKeys(lake: ObjectStore): Promise<string[]> {
  const listed = [FACTS, BASES].map((prefix) => Array.fromAsync(lake.list(prefix), ({ key }) => key));
  return (await Promise.all(listed)).flat();
}

/** Stores a fact, unless there is one of that name. Its files are named by their content, and may be there already. */
export async function storeFact(
  lake: ObjectStore,
  prefix: string,
  cycles: readonly string[],
  parts: Parts,
): Promise<void> {
  const files: z.infer<typeof factSchema>['parts'] = [];
  for (const relation of factRelations) {
    for (const path of parts[relation]) {
      const hash = await sha256OfFile(path);
      const file = `${relation}-${hash.slice(0, 16)}.parquet`;
      await lake.createFromFile(`${prefix}${file}`, path);
      files.push({ relation, file, sha256: hash });
    }
  }
  const fact = factSchema.parse({ format: 1, fact: prefix, cycles, parts: files });
  await lake.create(`${prefix}${FACT_FILE}`, Buffer.from(`${JSON.stringify(fact)}\n`));
}

/**
 * Copies a fact to a new folder below `scratch`, so that no change to the lake can affect it, and verifies the copy.
 * @throws if it is missing, or is not what was stored.
 */
export async function readFact(
  lake: ObjectStore,
  prefix: string,
  cycles: readonly string[],
  scratch: string,
): Promise<Parts> {
  const object = await lake.get(`${prefix}${FACT_FILE}`);
  if (object === null) throw new Error(`${FACT_FILE} is missing`);
  const fact = decodeJson(object.bytes, factSchema, FACT_FILE);
  if (fact.fact !== prefix || fact.cycles.join() !== cycles.join())
    throw new Error(`${FACT_FILE} is of another fact`);
  const parts = noParts();
  const folder = await mkdtemp(join(scratch, 'fact-'));
  for (const { relation, file, sha256: expected } of fact.parts) {
    const path = await lake.localFile(`${prefix}${file}`, scratch);
    if (path === null) throw new Error(`${file} is missing`);
    const copy = join(folder, file);
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    if ((await sha256OfFile(copy)) !== expected)
      throw new Error(`${file} does not have the bytes that were stored`);
    parts[relation].push(copy);
  }
  return parts;
}

/** Deletes a fact, first the file that names the rest. */
export async function deleteFact(lake: ObjectStore, prefix: string): Promise<void> {
  await lake.delete(`${prefix}${FACT_FILE}`);
  for await (const { key } of lake.list(prefix)) await lake.delete(key);
}
