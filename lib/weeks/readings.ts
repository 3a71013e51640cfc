/** The parts of a visibility document that say how an engine's week is to be read. */
export interface ReadingFacts {
  perEngine: readonly EngineFacts[];
  moved: readonly string[];
  silent: readonly { slug: string; lastAnswered: string | null; runs: number }[];
}

interface EngineFacts {
  slug: string;
  date: string;
  isSignificant: boolean;
  isWarmingUp: boolean;
  samePrompts: { isSignificant: boolean } | null;
}

/**
 * How the latest score of an engine is to be read, the first that holds:
 * - `silent`: the engine gave no answer lately
 * - `older week`: its score is not of the week of the snapshot
 * - `moved`: when all engines of the brand are judged together
 * - `possibly chance`: it is an alert, or its prompts differ, but it did not move
 */
export type Reading = 'silent' | 'older week' | 'moved' | 'possibly chance' | 'warming up' | 'as usual';

/** WEEK_DAYS of lib/methodology, which clients do not have; a test compares them. */
const OF_WEEK_MS = 10 * 86_400_000;

/** True for a cycle that is of the week of a snapshot: dated after the UTC day of ten days before (methodology, Questions). */
export function isOfWeek(date: string, asOf: string): boolean {
  return date > new Date(Date.parse(asOf) - OF_WEEK_MS).toISOString().slice(0, 10);
}

/** True if a score was compared with earlier ones on the same prompts: there were some. */
export function isCompared<SamePrompts extends { prompts: number }>(
  samePrompts: SamePrompts | null,
): samePrompts is SamePrompts {
  return samePrompts !== null && samePrompts.prompts > 0;
}

/** @param asOf the instant of the snapshot */
export function readingOf(
  { slug, date, isSignificant, isWarmingUp, samePrompts }: EngineFacts,
  { moved, silent }: Pick<ReadingFacts, 'moved' | 'silent'>,
  asOf: string,
): Reading {
  if (silent.some((engine) => engine.slug === slug)) return 'silent';
  if (!isOfWeek(date, asOf)) return 'older week';
  if (moved.includes(slug)) return 'moved';
  if (isSignificant || samePrompts?.isSignificant === true) return 'possibly chance';
  return isWarmingUp ? 'warming up' : 'as usual';
}
