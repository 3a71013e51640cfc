import { MAX_PRIOR_SCORES, MIN_CYCLES, TREND_SIZE } from '../../methodology/constants.ts';
import { compareText } from '../../methodology/text.ts';
import { refuseUnlessOrdered } from './rules.ts';
import type { Refuse, Rule } from './rules.ts';
import { complaintsAboutScore } from './visibility.ts';
import type { Visibility } from '../visibility.ts';

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
  const isByDate = (a: Series[number], b: Series[number]) => compareText(a.date, b.date) < 0;
  refuseUnlessOrdered(series, isByDate, path, 'points must be oldest first, one a date', refuse);
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
