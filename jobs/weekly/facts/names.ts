import { packNames } from './brand-names.ts';
import type { BrandNames } from './brand-names.ts';
import { mergeNames } from './merge.ts';
import { createNamesFile, openNamesFile } from './names-file.ts';

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
  /** Where the base is written, of every brand that any file holds; null: nowhere. */
  basePath: string | null;
}

/** The names of a history, a brand at a time. */
export interface Names {
  /** To be asked for once for each brand; null where nothing was ever answered. */
  of(brandId: string): BrandNames | null;
  /** Adds the brands that were not asked for to the base, which is whole then. */
  finish(): void;
}

/** @throws Failure where a file is damaged. */
export function openNames({ files, strays, cycleCount, basePath }: NamesSources): Names {
  const sources = files.map(({ path, ...source }) => ({ ...source, file: openNamesFile(path) }));
  const isStray = new Set(strays);
  const base = basePath === null ? null : createNamesFile(basePath);
  const of = (brandId: string): BrandNames | null => {
    const foreign = isStray.has(brandId) ? 'others' : 'strays';
    const holding = sources.filter((source) => source.of !== foreign && source.file.has(brandId));
    const [first] = holding;
    if (first === undefined) return null;
    const parts = holding.map(({ file, firstCycle }) => ({ names: file.names(brandId)!, firstCycle }));
    const isAsBefore = holding.length === 1 && first.firstCycle === 0;
    const merged = isAsBefore ? parts[0]!.names : mergeNames(parts, cycleCount);
    base?.add(brandId, isAsBefore ? first.file.packed(brandId)! : packNames(merged));
    return merged;
  };
  return {
    of,
    finish() {
      if (base === null) return;
      for (const brandId of new Set(sources.flatMap(({ file }) => file.brandIds)))
        if (!base.has(brandId)) of(brandId);
      base.finish();
    },
  };
}
