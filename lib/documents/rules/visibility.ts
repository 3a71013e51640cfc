import { MAX_PRIOR_SCORES, MIN_CYCLES, TREND_SIZE } from '../../methodology/constants.ts';
import { compareText } from '../../methodology/text.ts';
import { refuseUnlessBySlug, refuseUnlessOrdered } from './rules.ts';
import type { Refuse, Rule } from './rules.ts';
import type { Visibility } from '../visibility.ts';

type EngineScore = Visibility['perEngine'][number];

/**
 * The rules between the fields of a visibility document (methodology, Visibility). They do not compute its numbers again:
 * the golden cases and the reference implementation do that.
 */
export const enginesAreSound: Rule<Visibility> = ({ perEngine }, refuse) => {
  refuseUnlessBySlug(perEngine, ['perEngine'], refuse);
  for (const [index, engine] of perEngine.entries()) {
    for (const [field, message] of complaintsAbout(engine)) refuse(['perEngine', index, field], message);
  }
};

function* complaintsAbout(engine: EngineScore): Generator<[keyof EngineScore, string]> {
  const { bandLow, bandHigh, isWarmingUp, priorScores } = engine;
  yield* complaintsAboutScore(engine);
  if (isWarmingUp !== priorScores < MIN_CYCLES) {
    yield ['priorScores', `must be below ${MIN_CYCLES} exactly while warming up`];
  }
  if ((bandLow === null) !== isWarmingUp) yield ['bandLow', 'must be null exactly while warming up'];
  if ((bandHigh === null) !== isWarmingUp) yield ['bandHigh', 'must be null exactly while warming up'];
  if (bandLow !== null && bandHigh !== null && bandLow > bandHigh)
    yield ['bandLow', 'must not lie above bandHigh'];
  yield* complaintsAboutSamePrompts(engine);
  yield* complaintsAboutModels(engine);
  const { unbranded, promptsAnswered, promptsNamed } = engine;
  if (unbranded.promptsNamed > Math.min(unbranded.promptsAnswered, promptsNamed))
    yield ['unbranded', 'must not have more promptsNamed than promptsAnswered, or than the engine'];
  if (unbranded.promptsAnswered - unbranded.promptsNamed > promptsAnswered - promptsNamed)
    yield ['unbranded', 'must not have more prompts that do not name the brand than the engine'];
}

function* complaintsAboutSamePrompts(engine: EngineScore): Generator<[keyof EngineScore, string]> {
  const { samePrompts, isWarmingUp, promptsAnswered, promptsNamed } = engine;
  if ((samePrompts === null) !== isWarmingUp) yield ['samePrompts', 'must be null exactly while warming up'];
  if (samePrompts === null) return;
  const { prompts, named, expected, isSignificant } = samePrompts;
  if (prompts > promptsAnswered || named > promptsNamed)
    yield ['samePrompts', 'must not have more prompts than the engine'];
  if (named > prompts || expected > prompts)
    yield ['samePrompts', 'must not have more named or expected than prompts'];
  // A difference of a half is exactly 0.5 after rounding too.
  if (isSignificant && Math.abs(named - expected) < 0.5)
    yield ['samePrompts', 'must not be significant for a difference below a half'];
}

function* complaintsAboutModels({
  models,
  modelsChanged,
  priorScores,
}: EngineScore): Generator<[keyof EngineScore, string]> {
  if (models.some((model, at) => at > 0 && compareText(models[at - 1]!, model) >= 0))
    yield ['models', 'must be distinct and sorted'];
  if (modelsChanged !== null && (models.length === 0 || priorScores === 0))
    yield ['modelsChanged', 'must be null without models or without an earlier score'];
}

type Counted = Pick<EngineScore, 'promptsAnswered' | 'promptsNamed' | 'answers'>;

/** What is wrong with the counts behind a score. */
function* complaintsAboutScore(counted: Counted): Generator<[keyof Counted, string]> {
  const { promptsAnswered, promptsNamed, answers } = counted;
  if (answers < promptsAnswered) yield ['answers', 'must not be fewer than promptsAnswered'];
  if (promptsNamed > promptsAnswered) yield ['promptsNamed', 'must not be more than promptsAnswered'];
}

type Event = Visibility['events'][number];

/** Events of all engines come first on their day. Two with the same text may have any links. */
const isByDate = (a: Event, b: Event) =>
  (compareText(a.date, b.date) || compareText(a.slug ?? '', b.slug ?? '') || compareText(a.text, b.text)) <=
  0;

export const eventsAreInOrder: Rule<Visibility> = ({ events, trend }, refuse) => {
  const message = 'events must be by date, then by slug, then by text';
  refuseUnlessOrdered(events, isByDate, ['events'], message, refuse);
  const dates = Object.values(trend).map((series) => series[0]!.date);
  const since = dates.toSorted(compareText)[0];
  if (events.length > 0 && (since === undefined || events[0]!.date < since))
    refuse(['events', 0], 'must not be before the oldest score of the trend');
};

export const signalsAgree: Rule<Visibility> = ({ signals }, refuse) => {
  const { mentions, positive, neutral, negative, answers, answersNaming } = signals;
  if (positive + neutral + negative > mentions) {
    refuse(['signals', 'mentions'], 'must not be fewer than those with a sentiment');
  }
  if (answersNaming > answers) refuse(['signals', 'answersNaming'], 'must not be more than answers');
  if (answersNaming > mentions || (answersNaming === 0) !== (mentions === 0)) {
    refuse(['signals', 'answersNaming'], 'must be from 1 to mentions, and 0 if there are no mentions');
  }
  if ((signals.avgPosition === null) !== (mentions === 0)) {
    refuse(['signals', 'avgPosition'], 'must be null if and only if there are no mentions');
  }
};

type Series = Visibility['trend'][keyof Visibility['trend']] & {};

/**
 * The trend contains the newest scores of all engines, so each latest score must equal perEngine (methodology,
 * Visibility).
 */
export const trendIsSound: Rule<Visibility> = ({ trend, perEngine }, refuse) => {
  const slugs = Object.keys(trend) as (keyof typeof trend)[];
  refuseUnlessOrdered(slugs, (a, b) => compareText(a, b) < 0, ['trend'], 'series must be by slug', refuse);
  const points = slugs.reduce((sum, slug) => sum + trend[slug]!.length, 0);
  if (points > TREND_SIZE) refuse(['trend'], `must have at most ${TREND_SIZE} points, has ${points}`);
  for (const slug of slugs) {
    const engine = perEngine.find((candidate) => candidate.slug === slug);
    if (engine === undefined) refuse(['trend', slug], 'must be of an engine that has a score in perEngine');
    else seriesIsSound(trend[slug]!, engine, points < TREND_SIZE, refuse);
  }
  const oldest = slugs.map((slug) => trend[slug]![0]!.date).toSorted(compareText)[0] ?? '';
  for (const [index, { slug, date }] of perEngine.entries()) {
    if (trend[slug] !== undefined) continue;
    if (points < TREND_SIZE || date > oldest) {
      refuse(['perEngine', index], 'must have its score in the trend, which has older ones or is not full');
    }
  }
};

const pointFields = ['date', 'score', 'promptsAnswered', 'promptsNamed', 'answers'] as const;

function seriesIsSound(
  series: Series,
  engine: Visibility['perEngine'][number],
  isWhole: boolean,
  refuse: Refuse,
): void {
  const path = ['trend', engine.slug];
  const isOlder = (a: Series[number], b: Series[number]) => compareText(a.date, b.date) < 0;
  refuseUnlessOrdered(series, isOlder, path, 'points must be oldest first, one a date', refuse);
  for (const [index, point] of series.entries()) {
    for (const [field, message] of complaintsAboutScore(point)) refuse([...path, index, field], message);
  }
  const latest = series.at(-1)!;
  if (pointFields.some((field) => latest[field] !== engine[field])) {
    refuse([...path, series.length - 1], "must be the engine's latest score, as in perEngine");
  }
  const priorPoints = Math.min(MAX_PRIOR_SCORES, series.length - 1);
  if (engine.priorScores < priorPoints) {
    refuse(path, `must not have more than priorScores, ${engine.priorScores}, before the latest`);
  }
  const hasEnough = series.length > MIN_CYCLES;
  if (hasEnough ? engine.isWarmingUp : isWhole && !engine.isWarmingUp) {
    refuse(path, `must have more than ${MIN_CYCLES} points if and only if its engine is not warming up`);
  }
}
