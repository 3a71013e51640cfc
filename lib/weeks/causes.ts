/** Why the numbers of one engine measure different things in two weeks. */
export type EngineCause = 'models changed' | 'runs per prompt changed' | 'answered prompts changed';

/** The causes that affect all engines, in words. */
export const causeWords = {
  'methodology changed': 'the methodology changed',
  'prompts changed': 'the tracked prompts changed',
  'competitors changed': 'the tracked competitors changed: this concerns the share of voice',
} as const;

/** A cause on one engine. */
export interface CauseOnEngine {
  cause: EngineCause;
  slug: string;
  /** What was different, in words, without the engine. */
  text: string;
}

/** The parts of a week's documents that show the causes. */
export interface WeekFacts {
  visibility: { perEngine: readonly EngineFacts[] };
  results: {
    prompts: readonly { promptId: string; engines: readonly { slug: string; date: string }[] }[];
  };
}

/** Which prompts were asked, and how: equal lists mean the same questions. */
export function promptsAsked({
  prompts,
}: {
  prompts: readonly { id: string; text: string; isActive: boolean }[];
}): string[] {
  return prompts
    .filter(({ isActive }) => isActive)
    .map(({ id, text }) => `${id} ${text}`)
    .toSorted();
}

export function competitorsTracked({
  shareOfVoice,
}: {
  shareOfVoice: readonly { name: string; isBrand: boolean }[];
}): string[] {
  return shareOfVoice
    .filter(({ isBrand }) => !isBrand)
    .map(({ name }) => name)
    .toSorted();
}

interface EngineFacts {
  slug: string;
  date: string;
  promptsAnswered: number;
  answers: number;
  /** Empty if the tracker does not deliver them. */
  models: readonly string[];
}

/** Changes of runs per prompt, and of the answered prompts, are reported beyond a fifth. */
const FRACTION = 5;

/** The causes on each engine that has a new cycle, by engine. */
export function causesOnEngines(before: WeekFacts, after: WeekFacts): CauseOnEngine[] {
  return after.visibility.perEngine.flatMap((now) => {
    const old = before.visibility.perEngine.find(({ slug }) => slug === now.slug);
    if (old === undefined || old.date === now.date) return [];
    const texts: Record<EngineCause, string | null> = {
      'models changed': modelsText(old, now),
      'runs per prompt changed': runsText(old, now),
      'answered prompts changed': promptsText([before, old], [after, now]),
    };
    return (Object.keys(texts) as EngineCause[]).flatMap((cause) => {
      const text = texts[cause];
      return text === null ? [] : [{ cause, slug: now.slug, text }];
    });
  });
}

function modelsText({ models: before }: EngineFacts, { models: after }: EngineFacts): string | null {
  const isSame = before.length === after.length && before.every((model) => after.includes(model));
  if (before.length === 0 || after.length === 0 || isSame) return null;
  return `the model changed from ${before.join(', ')} to ${after.join(', ')}`;
}

function runsText(before: EngineFacts, after: EngineFacts): string | null {
  if (!haveRunsChanged(before, after)) return null;
  const runs = ({ answers, promptsAnswered }: EngineFacts) => (answers / promptsAnswered).toFixed(1);
  return `the runs per prompt changed from ${runs(before)} to ${runs(after)}`;
}

/** True if the answers per answered prompt differ by more than a fifth. */
export function haveRunsChanged(
  before: Pick<EngineFacts, 'answers' | 'promptsAnswered'>,
  after: Pick<EngineFacts, 'answers' | 'promptsAnswered'>,
): boolean {
  const was = before.answers * after.promptsAnswered;
  const is = after.answers * before.promptsAnswered;
  return FRACTION * Math.abs(is - was) > was;
}

/**
 * The prompts that the engine answered in its latest cycle; null if the results do not list them all, because the engine
 * also answered prompts that are paused or no longer tracked.
 */
function answeredIn(
  { results }: WeekFacts,
  { slug, date, promptsAnswered }: EngineFacts,
): Set<string> | null {
  const answered = results.prompts.filter(({ engines }) =>
    engines.some((engine) => engine.slug === slug && engine.date === date),
  );
  return answered.length === promptsAnswered ? new Set(answered.map(({ promptId }) => promptId)) : null;
}

type EngineInWeek = readonly [WeekFacts, EngineFacts];

/** By the prompts where both weeks list them, otherwise by their number. */
function promptsText(before: EngineInWeek, after: EngineInWeek): string | null {
  const [was, is] = [before[1].promptsAnswered, after[1].promptsAnswered];
  const [old, now] = [answeredIn(...before), answeredIn(...after)];
  const isListed = old !== null && now !== null;
  const both = isListed ? [...old].filter((prompt) => now.has(prompt)).length : Math.min(was, is);
  const all = was + is - both;
  if (FRACTION * (all - both) <= all) return null;
  const text = `it answered ${was} prompts in the older week and ${is} in the newer`;
  return isListed ? `${text}, ${both} of them in both` : text;
}
