import { engineSlugs, webGrounded } from '../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../lib/methodology/constants.ts';
import type { Brand, Prompt } from './brands.ts';
import { dieOf, idOf } from './draws.ts';
import type { Die } from './draws.ts';
import { sites } from './lists.ts';
import { WEEK, dateOf } from './story.ts';
import type { Story } from './story.ts';

/** What an engine makes of a prompt in every week. */
interface Habit {
  prompt: Prompt;
  /** Some prompts are more the brand's than others. */
  affinity: number;
  /** How many of a thousand answers name each rival: a few favourites, some that come and go, half of the others never. */
  weights: number[];
}

/** A prompt put to an engine in a week. */
interface Asked {
  habit: Habit;
  id: string;
  die: Die;
  status: 'success' | 'no_answer' | 'failed';
  /** Those with a high rank are the ones that name the brand, if only some do. */
  rank: number;
}

/** The runs of a brand in each week of the drop, as they are delivered. */
export function runsOf(brand: Brand, story: Story): object[][] {
  const weeks: object[][] = Array.from({ length: story.cycles }, () => []);
  const cited = citedSites(brand);
  for (const engine of engineSlugs) {
    const habits = brand.prompts.map((prompt) => habitOf(prompt, engine, brand));
    const asked = weeks.map((_, week) => askedIn(week, engine, habits, brand, story));
    const answered = asked.map((runs) => runs.filter(({ status }) => status === 'success'));
    const named = namedByWeek(
      answered.map(({ length }) => length),
      engine,
      brand,
      story,
    );
    for (const [week, runs] of asked.entries()) {
      const naming = new Set(answered[week]!.toSorted((a, b) => b.rank - a.rank).slice(0, named[week]));
      for (const run of runs) {
        const isAnswer = run.status === 'success';
        weeks[week]!.push({
          ...runRecord(run, { engine, week, brand, story }),
          mentions: isAnswer ? mentionsIn(run.die, run.habit.weights, naming.has(run), brand) : [],
          citations: isAnswer && webGrounded[engine] ? citationsIn(run.die, cited) : [],
        });
      }
    }
  }
  return weeks;
}

function askedIn(
  week: number,
  engine: EngineSlug,
  habits: readonly Habit[],
  brand: Brand,
  { cycles, silentBrand }: Story,
): Asked[] {
  const isSilent = brand.number === silentBrand && engine === 'ai_mode' && week >= cycles - 3;
  const silentPermille = isSilent ? 1000 : engine === 'ai_overview' ? 140 : engine === 'ai_mode' ? 30 : 0;
  return habits
    .filter(({ prompt }) => week >= prompt.firstWeek && week < prompt.endWeek)
    .map((habit) => {
      const id = idOf(`${habit.prompt.id} ${engine} ${week}`);
      const die = dieOf(id);
      const [isFailed, isUnanswered] = [die(1000) < 8, die(1000) < silentPermille];
      const isFallen = engine === brand.fallenEngine;
      const status = isFallen ? 'success' : isUnanswered ? 'no_answer' : isFailed ? 'failed' : 'success';
      return { habit, id, die, status, rank: habit.affinity + die(300) };
    });
}

/**
 * How many answers are to name the brand, by week. The last week is the mean of the weeks before it, well inside any
 * drift band; but for the engine that falls out of its own, and for the one where a fall lasts: that of the last weeks.
 */
function namedByWeek(
  answered: readonly number[],
  engine: EngineSlug,
  { id, number, fallenEngine }: Brand,
  { cycles, lowerBrand }: Story,
): number[] {
  const die = dieOf(`${id} ${engine} visibility`);
  const base = 180 + die(480) + die(200);
  const [isFallen, isLower] = [engine === fallenEngine, number === lowerBrand && engine === 'perplexity'];
  let drift = 0;
  const named = answered.map((answers, week) => {
    // Tenths of a percentage point, a step a week.
    drift += die(31) - 15;
    const drifting = Math.min(Math.max(base + drift + die(101) - 50, 30), 960);
    const permille = isFallen ? 780 : isLower ? (week >= cycles - 4 ? 380 : 700) : drifting;
    return Math.round((answers * permille) / 1000);
  });
  const withAnswers = [...answered.keys()].filter((week) => answered[week]! > 0);
  const last = withAnswers.pop();
  const before = withAnswers.slice(isLower ? -3 : -12);
  if (last === undefined || before.length === 0) return named;
  const mean = before.reduce((sum, week) => sum + named[week]! / answered[week]!, 0) / before.length;
  return named.with(last, isFallen ? Math.floor(answered[last]! / 10) : Math.round(answered[last]! * mean));
}

function habitOf(prompt: Prompt, engine: EngineSlug, { rivals }: Brand): Habit {
  const die = dieOf(`${prompt.id} ${engine} habit`);
  const weights = rivals.map(({ strength }) => {
    if (strength > 0) return Math.min(Math.max(strength + die(400) - 200, 20), 950);
    return die(100) < 45 ? 0 : 80 + die(300);
  });
  return { prompt, affinity: dieOf(`${prompt.id} ${engine}`)(1000), weights };
}

const spellingsBySide = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3];
const sentiments = [
  'positive',
  'positive',
  'positive',
  'neutral',
  'neutral',
  'neutral',
  'neutral',
  'negative',
  null,
];

function mentionsIn(die: Die, weights: readonly number[], isNamed: boolean, { spellings, rivals }: Brand) {
  const named = rivals
    .map(({ id, ...company }, index) => ({
      spellings: company.spellings,
      subject: id === null ? 'other' : 'competitor',
      id,
      isNamed: die(1000) < weights[index]!,
      // Those that are named often are named early.
      order: 1000 - weights[index]! + die(500),
    }))
    .filter((rival) => rival.isNamed);
  if (isNamed) named.push({ spellings, subject: 'brand', id: null, isNamed, order: 400 + die(500) });
  return named
    .toSorted((a, b) => a.order - b.order)
    .map(({ spellings: written, subject, id }, index) => ({
      name: written[spellingsBySide[die(spellingsBySide.length)]!],
      subject,
      competitor_id: id,
      position: index + 1,
      sentiment: sentiments[die(sentiments.length)],
    }));
}

/** The sites that answers about a brand may cite, the most cited first: with its own, and the blogs of its competitors. */
function citedSites({ industry, host, rivals }: Brand): { prefix: string; sourceType: string }[] {
  const common = sites.map(({ prefix, sourceType }) => ({
    prefix: prefix.replace('{slug}', industry.slug),
    sourceType,
  }));
  const own = { prefix: `https://www.${host}/resources/`, sourceType: 'corporate' };
  const blogs = rivals
    .filter(({ id }) => id !== null)
    .map((rival) => ({ prefix: `https://www.${rival.host}/blog/`, sourceType: 'corporate' }));
  const mixed = common.flatMap((site, index) => (index % 2 === 0 ? [site, ...blogs.splice(0, 1)] : [site]));
  return mixed.toSpliced(3, 0, own);
}

function citationsIn(die: Die, cited: readonly { prefix: string; sourceType: string }[]) {
  return Array.from({ length: 1 + die(6) }, () => {
    // The product of two dice prefers the sites that come first.
    const { prefix, sourceType } = cited[Math.floor((die(cited.length) * die(cited.length)) / cited.length)]!;
    return { url: `${prefix}${die(60)}`, source_type: die(25) === 0 ? 'other' : sourceType };
  });
}

function runRecord(
  { habit, id, die, status }: Asked,
  { engine, week, brand, story }: { engine: EngineSlug; week: number; brand: Brand; story: Story },
) {
  const midnight = story.firstCycle + week * WEEK;
  const isChanged = engine === story.changedEngine && week === story.cycles - 1;
  return {
    id,
    brand_id: brand.id,
    prompt_id: habit.prompt.id,
    engine,
    cycle_date: dateOf(midnight),
    ran_at: new Date(midnight + die(story.latestRun + 1)).toISOString(),
    status,
    model: `${engine.replace('_', '-')}-${isChanged ? 2 : 1}`,
    // Only these engines have answers with an address that can be shared.
    answer_url: status === 'success' && webGrounded[engine] ? `https://answers.example/${id}` : null,
  };
}
