import type { Results } from '../documents/results.ts';
import type { EngineSlug } from '../methodology/constants.ts';
import { isOfWeek } from './readings.ts';

/** A prompt on an engine whose answers named the brand in only one of two weeks. */
export interface WonOrLost {
  change: 'won' | 'lost';
  promptId: string;
  promptText: string;
  slug: EngineSlug;
  /** The cycle in which it was won or lost. */
  date: string;
  /** The brand's best position while it was named. */
  position: number;
  /** The addresses of the answers of that cycle, if the tracker delivered them. */
  answers: string[];
}

type EngineResult = Results['prompts'][number]['engines'][number];

function answersOf({ evidence }: EngineResult): string[] {
  return evidence.flatMap(({ url }) => (url === null ? [] : [url]));
}

/**
 * The prompts won or lost between two snapshots, won ones first, each in the order of the newer document. Only prompts
 * and engines that both documents list.
 */
export function wonAndLost(before: Results, after: Results): WonOrLost[] {
  const old = new Map(
    entriesOf(before).map(({ promptId, engine }) => [`${promptId} ${engine.slug}`, engine]),
  );
  const found = entriesOf(after).flatMap(({ promptId, promptText, engine }): WonOrLost[] => {
    const { slug, date, isNamed } = engine;
    const was = old.get(`${promptId} ${slug}`);
    if (was === undefined || was.isNamed === isNamed) return [];
    const position = (isNamed ? engine : was).position!;
    const change = isNamed ? 'won' : 'lost';
    return [{ change, promptId, promptText, slug, date, position, answers: answersOf(engine) }];
  });
  return wonFirst(found);
}

const WEEK_MS = 7 * 86_400_000;

/**
 * The results of a document's newest week: an engine that did not answer a prompt in it keeps an older one. Empty if that is
 * not the week of the snapshot.
 */
export function resultsThisWeek(results: Results, asOf: string) {
  const newest = newestCycle(results);
  if (newest === null) return [];
  return entriesOf(results).filter(
    ({ engine: { date } }) => isOfWeek(date, asOf) && Date.parse(date) > Date.parse(newest) - WEEK_MS,
  );
}

/** The date that names the week of {@link resultsThisWeek}; null if nothing has run. */
export function newestCycle(results: Results): string | null {
  const dates = entriesOf(results).map(({ engine }) => engine.date);
  return dates.toSorted().at(-1) ?? null;
}

function entriesOf({ prompts }: Results) {
  return prompts.flatMap(({ promptId, promptText, engines }) =>
    engines.map((engine) => ({ promptId, promptText, engine })),
  );
}

function wonFirst(all: readonly WonOrLost[]): WonOrLost[] {
  return [...all.filter(({ change }) => change === 'won'), ...all.filter(({ change }) => change === 'lost')];
}
