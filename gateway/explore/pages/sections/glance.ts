import { engineName, hasMoved, leadingRows, mayBeChance } from '../../../../lib/weeks/words.ts';
import { wonAndLostThisWeek } from '../../../../lib/weeks/won-lost.ts';
import { sparkline } from '../charts.ts';
import { markup, nameOf } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';
import { overallTrend } from '../week.ts';
import type { BrandWeek } from '../week.ts';

type Engine = BrandWeek['visibility']['perEngine'][number];

/** The number of brands that fit on two printed pages. */
const PRINTED_BRANDS = 60;

/** Brands with engines that moved first, otherwise in the given order. */
export function movedFirst(weeks: readonly BrandWeek[]): BrandWeek[] {
  return weeks.toSorted((a, b) => movedCount(b) - movedCount(a));
}

function movedCount({ visibility }: BrandWeek): number {
  return visibility.perEngine.filter(hasMoved).length;
}

/** The week at a glance: a row for each brand, those with engines that moved first. Names link to `#brand-ID`. */
export function glance(weeks: readonly BrandWeek[]): Html {
  const isCalm = weeks.every((week) => movedCount(week) === 0);
  const isJudged = weeks.some(({ visibility }) =>
    visibility.perEngine.some(({ isWarmingUp }) => !isWarmingUp),
  );
  return markup`${isCalm && isJudged ? markup`<p>No brand moved beyond its usual range.</p>` : null}
  ${table(
    `The week at a glance${isCalm ? '' : ', brands with a change on top'}`,
    [
      { name: 'Brand' },
      { name: 'Engines that moved' },
      { name: 'Visibility, %', isNumber: true },
      { name: 'Week by week' },
      { name: 'Share of voice' },
      { name: 'Prompts won', isNumber: true },
      { name: 'Prompts lost', isNumber: true },
    ],
    movedFirst(weeks).map((week) => [
      markup`<a href="#brand-${week.brand.id}">${nameOf(week.brand.name)}</a>`,
      movedCell(week),
      week.visibility.perEngine.length === 0 ? null : week.visibility.overallVisibility,
      trendCell(week),
      leadersCell(week),
      changesCell(week, 'won'),
      changesCell(week, 'lost'),
    ]),
    { printedRows: PRINTED_BRANDS },
  )}
  <p class="soft">${falseAlarms}</p>`;
}

/** How often chance alone is reported as a movement (docs/methodology.md). */
export const falseAlarms =
  'Chance rarely moves one engine this far. Over a brand’s 8 engines, up to 3 of 10 weeks still have at least one false alarm: the farther a number is from what was expected, the less likely it is one.';

function trendCell({ brand, visibility }: BrandWeek): Html | null {
  const values = overallTrend(visibility);
  if (values.length === 0) return null;
  const description = `${values.length} weeks, from ${values[0]!.toFixed(1)} to ${values.at(-1)!.toFixed(1)} %.`;
  return sparkline({ title: `Visibility of ${brand.name}, mean of the engines`, description }, values);
}

function movedCell({ visibility: { perEngine, trend } }: BrandWeek): Html | string {
  if (perEngine.length === 0) return 'no answers yet';
  const moved = perEngine.filter(hasMoved);
  if (moved.length > 0)
    return markup`${moved.map((engine) => {
      const scores = markup`${engineName(engine.slug)} ${scoreBefore(engine, trend)}${engine.score}\u00a0%`;
      return mayBeChance(engine)
        ? markup`<span class="label">${scores}, may be chance</span> `
        : markup`<span class="label moved">${scores}</span> `;
    })}`;
  return perEngine.every(({ isWarmingUp }) => isWarmingUp) ? 'warming up' : 'none';
}

/** `71 → `; nothing if there is no earlier score, or the same one: then the prompts moved. */
function scoreBefore({ slug, date, score }: Engine, trend: BrandWeek['visibility']['trend']): string | null {
  const before = trend[slug]?.findLast((point) => point.date < date);
  return before === undefined || before.score === score ? null : `${before.score} → `;
}

/** More names than this are counted, not listed. */
const LISTED_LEADERS = 3;

function leadersCell({ competitors }: BrandWeek): Html | string | null {
  if (competitors === null) return null;
  if (competitors.shareOfVoice.length < 2) return 'no competitors are tracked';
  if (competitors.totalMentions === 0) return 'no mentions';
  const leading = leadingRows(competitors);
  const names = leading
    .slice(0, LISTED_LEADERS)
    .map(({ name }, index) => markup`${index === 0 ? '' : ', '}${nameOf(name)}`);
  if (leading.length === 1) return markup`${names} leads`;
  const others = leading.length - names.length;
  return markup`tied: ${names}${others === 0 ? null : ` and ${others} ${others === 1 ? 'other' : 'others'}`}`;
}

function changesCell({ results }: BrandWeek, wanted: 'won' | 'lost'): number | null {
  if (results === null) return null;
  return wonAndLostThisWeek(results).filter(({ change }) => change === wanted).length;
}
