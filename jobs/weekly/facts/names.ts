import { packNames } from './brand-names.ts';
import type { BrandNames } from './brand-names.ts';
import { mergeNames } from './merge.ts';
import { openNamesFile } from './names-file.ts';

/** A names file of some cycles from `firstCycle` on, and whom it holds for: every brand, the strays, or all others. */
export interface NamesSource {
  path: string;
  firstCycle: number;
  of: 'every brand' | 'strays' | 'others';
}

/** What the names of a history are put together from. */
export interface NamesSources {
  files: readonly NamesSource[];
  /** Ids of brands for which what is stored does not hold. */
  strays: readonly string[];
  /** Cycles of the history. */
  cycleCount: number;
  /** Whether the packed names are wanted too, for a new base. */
  packs: boolean;
}

/** The names of a brand, and their packed form where it is wanted. */
export interface MergedNames {
  names: BrandNames;
  packed: Uint8Array<ArrayBuffer> | null;
}

/** Gives the names of a brand over a history; null where nothing was ever answered. @throws Failure where a file is damaged. */
export function openNames({
  files,
  strays,
  cycleCount,
  packs,
}: NamesSources): (brandId: string) => MergedNames | null {
  const sources = files.map(({ path, ...source }) => ({ ...source, file: openNamesFile(path) }));
  const isStray = new Set(strays);
  return (brandId) => {
    const foreign = isStray.has(brandId) ? 'others' : 'strays';
    const holding = sources.filter((source) => source.of !== foreign && source.file.has(brandId));
    const [first] = holding;
    if (first === undefined) return null;
    const parts = holding.map(({ file, firstCycle }) => ({ names: file.names(brandId)!, firstCycle }));
    if (holding.length === 1 && first.firstCycle === 0)
      return { names: parts[0]!.names, packed: packs ? first.file.packed(brandId) : null };
    const names = mergeNames(parts, cycleCount);
    return { names, packed: packs ? packNames(names) : null };
  };
}
