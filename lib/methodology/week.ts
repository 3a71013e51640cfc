import type { Documents } from '../documents/schemas.ts';
import type { BrandInWeek } from '../documents/week.ts';

/** The documents of a brand that its facts of the week are taken from; nothing is computed again. */
export type WeekSources = Pick<Documents, 'visibility' | 'competitors' | 'results' | 'sources'>;

/** The facts of the week about a brand (methodology, The week and the tables). */
export function brandInWeek({ visibility, competitors, results, sources }: WeekSources): BrandInWeek {
  const { brand, overallVisibility, perEngine, moved, silent } = visibility;
  const { ownSite } = sources;
  return {
    brand,
    overallVisibility,
    moved,
    silent,
    engines: perEngine.map((engine) => ({
      slug: engine.slug,
      score: engine.score,
      date: engine.date,
      promptsAnswered: engine.promptsAnswered,
      promptsNamed: engine.promptsNamed,
      isSignificant: engine.isSignificant,
      isWarmingUp: engine.isWarmingUp,
      isLasting: engine.fourWeeks?.isSignificant ?? false,
    })),
    shareOfVoice: shareOf(competitors),
    results: countsOf(results),
    ownSite: ownSite && { citations: ownSite.citations, answers: ownSite.answers },
  };
}

function shareOf(competitors: WeekSources['competitors']): BrandInWeek['shareOfVoice'] {
  const { shareOfVoice, totalMentions, leaders, leadersByPrompt } = competitors;
  const place = shareOfVoice.findIndex(({ isBrand }) => isBrand);
  const { sovPct, mentions } = shareOfVoice[place]!;
  return {
    rank: place + 1,
    names: shareOfVoice.length,
    sovPct,
    mentions,
    totalMentions,
    leaders,
    leadersByPrompt,
  };
}

function countsOf({ prompts }: WeekSources['results']): BrandInWeek['results'] {
  const entries = prompts.flatMap(({ engines }) => engines);
  const dates = entries.map(({ date }) => date);
  const cycle = dates.toSorted().at(-1) ?? null;
  const counts = { won: 0, lost: 0, kept: 0, absent: 0, new: 0, older: 0 };
  for (const { date, change } of entries) counts[date === cycle ? change : 'older'] += 1;
  return { cycle, ...counts };
}
