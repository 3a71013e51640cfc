import type { Documents } from '../adapters/publish.ts';

/* The week of a workspace, from the documents that the reference computed for its brands. */

export function weekOf(asOf: string, brands: readonly Documents[]) {
  return { asOf, brands: brands.map(brandOf) };
}

const FIELDS = [
  'slug',
  'score',
  'date',
  'promptsAnswered',
  'promptsNamed',
  'isSignificant',
  'isWarmingUp',
] as const;

function brandOf({ visibility, competitors, results, sources }: Documents) {
  const { brand, overallVisibility, moved, silent, perEngine } = visibility;
  const { shareOfVoice, totalMentions, leaders, leadersByPrompt } = competitors;
  const own = shareOfVoice.find(({ isBrand }) => isBrand)!;
  const entries = results.prompts.flatMap(({ engines }) => engines);
  const cycle =
    entries
      .map(({ date }) => date)
      .toSorted()
      .at(-1) ?? null;
  const count = (change: string) =>
    entries.filter((entry) => entry.date === cycle && entry.change === change).length;
  return {
    brand,
    overallVisibility,
    moved,
    silent,
    engines: perEngine.map((engine) => ({
      ...Object.fromEntries(FIELDS.map((field) => [field, engine[field]])),
      isLasting: engine.fourWeeks !== null && engine.fourWeeks.isSignificant,
    })),
    shareOfVoice: {
      rank: 1 + shareOfVoice.indexOf(own),
      names: shareOfVoice.length,
      sovPct: own.sovPct,
      mentions: own.mentions,
      totalMentions,
      leaders,
      leadersByPrompt,
    },
    results: {
      cycle,
      ...Object.fromEntries(
        ['won', 'lost', 'kept', 'absent', 'new'].map((change) => [change, count(change)]),
      ),
      older: entries.filter(({ date }) => date !== cycle).length,
    },
    ownSite: sources.ownSite && {
      citations: sources.ownSite.citations,
      answers: sources.ownSite.answers,
    },
  };
}
