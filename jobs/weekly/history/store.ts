import { constants } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeJson } from '../../../lib/decode.ts';
import { sha256OfFile } from '../../../lib/hash.ts';
import { digest } from '../../lake/provenance.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { BASES, BASE_FILE } from './layout.ts';
import { baseRelations, noParts } from './parts.ts';
import type { Parts } from './parts.ts';

/** The file that lists what a base consists of. It is written last: without it there is no base. */
const baseSchema = z.strictObject({
  format: z.literal(2),
  /** Its own prefix, so that it cannot be taken for another base. */
  base: z.string(),
  /** The lowest bit of a row's `cycles_0` is the first of them. */
  cycles: z.array(z.iso.date()),
  parts: z.array(
    z.strictObject({
      relation: z.enum(baseRelations),
      file: z.string().regex(/^[a-z_]+-[0-9a-f]{16}\.parquet$/),
      sha256: digest,
    }),
  ),
});

/** The keys of the files of all stored bases. */
export async function storedKeys(lake: ObjectStore): Promise<string[]> {
  return await Array.fromAsync(lake.list(BASES), ({ key }) => key);
}

/** Stores a base, unless there is one of that name. Its files are named by their content, and may be there already. */
export async function storeBase(
  lake: ObjectStore,
  prefix: string,
  cycles: readonly string[],
  parts: Parts,
): Promise<void> {
  const files: z.infer<typeof baseSchema>['parts'] = [];
  for (const relation of baseRelations) {
    for (const path of parts[relation]) {
      const hash = await sha256OfFile(path);
      const file = `${relation}-${hash.slice(0, 16)}.parquet`;
      await lake.createFromFile(`${prefix}${file}`, path);
      files.push({ relation, file, sha256: hash });
    }
  }
  const base = baseSchema.parse({ format: 2, base: prefix, cycles, parts: files });
  await lake.create(`${prefix}${BASE_FILE}`, Buffer.from(`${JSON.stringify(base)}\n`));
}

/**
 * Copies a base to a new folder below `scratch`, so that no change to the lake can affect it, and verifies the copy.
 * @throws if it is missing, or is not what was stored.
 */
export async function readBase(
  lake: ObjectStore,
  prefix: string,
  cycles: readonly string[],
  scratch: string,
): Promise<Parts> {
  const object = await lake.get(`${prefix}${BASE_FILE}`);
  if (object === null) throw new Error(`${BASE_FILE} is missing`);
  const base = decodeJson(object.bytes, baseSchema, BASE_FILE);
  if (base.base !== prefix || base.cycles.join() !== cycles.join())
    throw new Error(`${BASE_FILE} is of another base`);
  const parts = noParts();
  const folder = await mkdtemp(join(scratch, 'base-'));
  for (const { relation, file, sha256: expected } of base.parts) {
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

/** Deletes a base, first the file that names the rest. */
export async function deleteBase(lake: ObjectStore, prefix: string): Promise<void> {
  await lake.delete(`${prefix}${BASE_FILE}`);
  for await (const { key } of lake.list(prefix)) await lake.delete(key);
}

/** Deletes every stored base. */
export async function deleteBases(lake: ObjectStore): Promise<void> {
  for (const prefix of basesIn(await storedKeys(lake))) await deleteBase(lake, prefix);
}

/** The prefixes of the bases that have these keys. */
export function basesIn(keys: readonly string[]): Set<string> {
  return new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/') + 1)));
}

/**
 * The number of bases that are kept of each scope: after a late delivery to one of the last cycles, a run starts from the
 * base before it. After one to an earlier cycle, it takes as long as a full run.
 */
const BASES_KEPT = 4;
/** Bases of another version, scope or set of brands are kept for as long after their last cycle. */
const OTHERS_KEPT_DAYS = 35;

/**
 * Deletes what a base that was just stored replaces: older bases of its scope, and those of every version and scope that
 * has nothing of the last five weeks. Runs that read them have copies.
 * @param base its prefix
 */
export async function deleteOldBases(lake: ObjectStore, base: string): Promise<void> {
  const stored = [...basesIn(await storedKeys(lake))].flatMap((prefix) => describe(prefix) ?? []);
  const own = describe(base)!;
  const oldest = own.lastCycle - OTHERS_KEPT_DAYS * 86_400_000;
  for (const [scope, bases] of Map.groupBy(stored, (each) => each.scope)) {
    const isOwn = scope === own.scope;
    if (!isOwn && bases.some(({ lastCycle }) => lastCycle >= oldest)) continue;
    // Of one cycle the newest: no run looks for what was stored before a late delivery.
    const current = bases.filter(({ prefix, lastCycle }) => prefix === base || lastCycle !== own.lastCycle);
    // In the order of their cycles, as they are listed.
    const kept = new Set(isOwn ? current.slice(-BASES_KEPT) : []);
    for (const each of bases) if (!kept.has(each)) await deleteBase(lake, each.prefix);
  }
}

/** Reads `bases/VERSION/SCOPE/through=DATE/HASH/`; null for other names. */
function describe(prefix: string) {
  const match = /^bases\/(.*)through=([0-9-]+)\//.exec(prefix);
  if (match === null) return null;
  return { prefix, scope: match[1]!, lastCycle: Date.parse(match[2]!) };
}
