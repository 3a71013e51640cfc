import { TREND_SIZE } from '../../methodology/constants.ts';
import { compareText } from '../../methodology/text.ts';
import { refuseUnlessBySlug, refuseUnlessOrdered } from './rules.ts';
import type { Rule } from './rules.ts';
import type { Visibility } from '../visibility.ts';

/** Alerts must be built on `isSignificant` (methodology, Visibility). */
export const alertsAreSignificant: Rule<Visibility> = ({ perEngine, alerts }, refuse) => {
  refuseUnlessBySlug(perEngine, ['perEngine'], refuse);
  const significant = perEngine.filter(({ isSignificant }) => isSignificant);
  const isSame = ({ slug, score }: (typeof significant)[number], at: number) =>
    alerts[at]?.slug === slug && alerts[at].score === score;
  if (alerts.length !== significant.length || !significant.every(isSame))
    refuse(['alerts'], 'must be the engines of perEngine that are significant');
};

const named = (slugs: readonly string[]) => slugs.map((slug) => ({ slug }));

/** Only engines that were compared can have moved. */
export const verdictsAreJudged: Rule<Visibility> = ({ perEngine, moved, silent }, refuse) => {
  refuseUnlessBySlug(silent, ['silent'], refuse);
  refuseUnlessBySlug(named(moved), ['moved'], refuse);
  const compared = new Set(perEngine.filter((engine) => engine.samePrompts !== null).map(({ slug }) => slug));
  const without = moved.findIndex((slug) => !compared.has(slug));
  if (without !== -1) refuse(['moved', without], 'must be an engine with samePrompts');
};

type Event = Visibility['events'][number];

/** Events of all engines come first on their day. Two with the same text may have any links. */
const isByDate = (a: Event, b: Event) =>
  (compareText(a.date, b.date) || compareText(a.slug ?? '', b.slug ?? '') || compareText(a.text, b.text)) <=
  0;

export const eventsAreInOrder: Rule<Visibility> = ({ events }, refuse) =>
  refuseUnlessOrdered(
    events,
    isByDate,
    ['events'],
    'events must be by date, then by slug, then by text',
    refuse,
  );

type Series = Visibility['trend'][keyof Visibility['trend']] & {};

const isOlder = (a: Series[number], b: Series[number]) => compareText(a.date, b.date) < 0;

export const trendIsInOrder: Rule<Visibility> = ({ trend }, refuse) => {
  const slugs = Object.keys(trend) as (keyof typeof trend)[];
  refuseUnlessBySlug(named(slugs), ['trend'], refuse);
  const points = slugs.reduce((sum, slug) => sum + trend[slug]!.length, 0);
  if (points > TREND_SIZE) refuse(['trend'], `must have at most ${TREND_SIZE} points, has ${points}`);
  for (const slug of slugs)
    refuseUnlessOrdered(
      trend[slug]!,
      isOlder,
      ['trend', slug],
      'points must be oldest first, one a date',
      refuse,
    );
};
