import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { sha256, sha256OfFile } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { BASES, FACTS, FACT_FILE } from './layout.ts';
import { factRelations, noParts } from './parts.ts';
import type { Parts } from './parts.ts';

/** The file that says what a fact is made of. It is written last: without it there is no fact. */
const factSchema = z.strictObject({
  format: z.literal(1),
  /** Its own prefix, so that it cannot be taken for another fact. */
  fact: z.string(),
  /** The cycles that it stands for: the lowest bit of a row's `cycles_0` is the first of them. */
  cycles: z.array(z.iso.date()),
  parts: z.array(
    z.strictObject({
      relation: z.enum(factRelations),
      file: z.string().regex(/^[a-z_]+-[0-9a-f]{16}\.parquet$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** The keys of the files of all stored facts and bases. */
export async function storedKeys(lake: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of [FACTS, BASES]) for await (const { key } of lake.list(prefix)) keys.push(key);
  return keys;
}

/** Stores a fact, where there is none of that name. Its files are named by their content, and may be there already. */
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
 * Copies a fact, verified, to a folder of the run: nothing that happens to the lake meanwhile can change it.
 * @throws where it is missing, or not what was stored.
 */
export async function readFact(
  lake: ObjectStore,
  prefix: string,
  cycles: readonly string[],
  folder: string,
): Promise<Parts> {
  const object = await lake.get(`${prefix}${FACT_FILE}`);
  if (object === null) throw new Error(`${FACT_FILE} is missing`);
  const fact = factSchema.parse(JSON.parse(object.bytes.toString('utf8')));
  if (fact.fact !== prefix || fact.cycles.join() !== cycles.join())
    throw new Error(`${FACT_FILE} is of another fact`);
  const parts = noParts();
  const copies = join(folder, sha256(prefix).slice(0, 16));
  await mkdir(copies, { recursive: true });
  for (const { relation, file, sha256: expected } of fact.parts) {
    const path = await lake.localFile(`${prefix}${file}`, folder);
    if (path === null) throw new Error(`${file} is missing`);
    const copy = join(copies, basename(file));
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    if ((await sha256OfFile(copy)) !== expected)
      throw new Error(`${file} does not have the bytes that were stored`);
    parts[relation].push(copy);
  }
  return parts;
}

/** Deletes all that is stored of a fact, first what names the rest. */
export async function deleteFact(lake: ObjectStore, prefix: string): Promise<void> {
  await lake.delete(`${prefix}${FACT_FILE}`);
  for await (const { key } of lake.list(prefix)) await lake.delete(key);
}
