import { answeredPrompts } from './answered-prompts.ts';
import { fraction, round } from './number.ts';
import type { Mention, Run, Tracked } from './records.ts';
import { byText, lowerCase, tidy } from './text.ts';

/** @param runs of the brand; @param prompts of the brand, oldest first. */
export function stabilityOf(
  runs: readonly Run[],
  prompts: readonly Tracked[],
  competitors: ReadonlySet<string>,
) {
  const shown = answeredPrompts(runs, prompts, (slug, answers) => engineOf(slug, answers, competitors));
  return { minCycles: 4, prompts: shown };
}

interface Name {
  cycles: Set<string>;
  spellings: Map<string, number>;
}

function engineOf(slug: string, answers: readonly Run[], competitors: ReadonlySet<string>) {
  const observed = new Set(answers.map((run) => run.cycle)).size;
  const names = new Map<string, Name>();
  for (const { cycle, mentions } of answers) {
    for (const mention of mentions) {
      const key = keyOf(mention, competitors);
      const name = names.get(key) ?? { cycles: new Set(), spellings: new Map() };
      const spelling = tidy(mention.name);
      name.cycles.add(cycle);
      name.spellings.set(spelling, (name.spellings.get(spelling) ?? 0) + 1);
      names.set(key, name);
    }
  }
  const sorted = [...names.values()]
    .map((name) => ({ entity: entityOf(name), cycles: name.cycles.size }))
    .toSorted((a, b) => b.cycles - a.cycles || byText(a.entity, b.entity));
  const core = sorted.filter(({ cycles }) => 10 * cycles >= 7 * observed).slice(0, 5);
  const publish = ({ entity, cycles }: { entity: string; cycles: number }) => ({
    entity,
    stability: round(fraction(cycles, observed), 4),
  });
  const own = names.get('brand')?.cycles.size ?? 0;
  return {
    slug,
    cyclesObserved: observed,
    isWarmingUp: observed < 4,
    brandPlacement: placementOf(own, observed),
    brandStability: round(fraction(own, observed), 4),
    core: core.map(publish),
    carousel: sorted.slice(core.length).map(publish),
  };
}

/** The identity of a name: the brand, a tracked competitor, or else its own text. */
function keyOf({ subject, competitorId, name }: Mention, competitors: ReadonlySet<string>): string {
  if (subject === 'brand') return 'brand';
  if (subject === 'competitor' && competitors.has(competitorId!)) return `competitor ${competitorId}`;
  return `other ${lowerCase(tidy(name))}`;
}

function entityOf({ spellings }: Name): string {
  return [...spellings].toSorted((a, b) => b[1] - a[1] || byText(a[0], b[0]))[0]![0];
}

function placementOf(cycles: number, observed: number): string {
  if (cycles === 0) return 'absent';
  if (10 * cycles >= 7 * observed) return 'core';
  return 10 * cycles >= 4 * observed ? 'emerging' : 'carousel';
}
