import { readingOf } from '../../../../lib/weeks/readings.ts';
import type { Reading } from '../../../../lib/weeks/readings.ts';
import { dayInWords, engineName, leadingRows } from '../../../../lib/weeks/words.ts';
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

/** Brands with silent engines or with engines that moved first, otherwise in the given order. */
export function movedFirst(weeks: readonly BrandWeek[]): BrandWeek[] {
  return weeks.toSorted((a, b) => urgencyOf(b) - urgencyOf(a));
}

/** Silent engines count most, then those that moved, then alerts. */
function urgencyOf(week: BrandWeek): number {
  const { silent, moved } = week.visibility;
  return 10_000 * silent.length + 100 * moved.length + enginesRead(week, 'possibly chance').length;
}

/** The engines of a brand with this reading. */
function enginesRead({ visibility, asOf }: BrandWeek, reading: Reading): Engine[] {
  return visibility.perEngine.filter((engine) => readingOf(engine, visibility, asOf) === reading);
}

/** The week at a glance: a row for each brand, those with a change first. Names link to `#brand-ID`. */
export function glance(weeks: readonly BrandWeek[]): Html {
  const isCalm = weeks.every((week) => urgencyOf(week) === 0);
  const isJudged = weeks.some((week) => enginesRead(week, 'as usual').length > 0);
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
  'A brand’s engines are judged together: in a week without any change, one is called moved by chance in 5 % of weeks. An alert that did not move is possibly chance. Nothing controls how often that happens over many weeks.';

function trendCell({ brand, asOf, visibility }: BrandWeek): Html | null {
  const values = overallTrend(visibility);
  if (values.length === 0) return null;
  const description = `${values.length} weeks, from ${values[0]!.value.toFixed(1)} to ${values.at(-1)!.value.toFixed(1)} %.`;
  return sparkline({ title: `Visibility of ${brand.name}, mean of the engines`, description }, values, asOf);
}

function movedCell(week: BrandWeek): Html | string {
  const { asOf, visibility } = week;
  const { perEngine, silent, trend } = visibility;
  const cells = [
    ...silent.map(({ slug, lastAnswered }) => {
      const since =
        lastAnswered === null ? 'never answered' : `no answer since ${dayInWords(lastAnswered, asOf)}`;
      return markup`<span class="label moved">${engineName(slug)}: ${since}</span> `;
    }),
    ...enginesRead(week, 'moved').map(
      (engine) => markup`<span class="label moved">${scoresOf(engine, trend)}</span> `,
    ),
    ...enginesRead(week, 'possibly chance').map(
      (engine) => markup`<span class="label">${scoresOf(engine, trend)}, possibly chance</span> `,
    ),
  ];
  if (cells.length > 0) return markup`${cells}`;
  if (perEngine.length === 0) return 'no answers yet';
  if (enginesRead(week, 'as usual').length > 0) return 'none';
  return enginesRead(week, 'warming up').length > 0 ? 'warming up' : 'no answers this week';
}

function scoresOf(engine: Engine, trend: BrandWeek['visibility']['trend']): Html {
  return markup`${engineName(engine.slug)} ${scoreBefore(engine, trend)}${engine.score}\u00a0%`;
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

/** Null, shown as –, if the newest cycle is not of this week. */
function changesCell({ results, asOf }: BrandWeek, wanted: 'won' | 'lost'): number | null {
  const changes = results === null ? null : wonAndLostThisWeek(results, asOf);
  return changes?.filter(({ change }) => change === wanted).length ?? null;
}
