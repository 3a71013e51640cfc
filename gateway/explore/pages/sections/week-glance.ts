import type { BrandInWeek, Week } from '../../../../lib/documents/week.ts';
import { isOfWeek } from '../../../../lib/weeks/readings.ts';
import { factsInWords, readingInWeek, urgentFirst } from '../../../../lib/weeks/facts-in-words.ts';
import { dayInWords, engineName } from '../../../../lib/weeks/words.ts';
import { markup, nameOf, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';
import { falseAlarms } from './glance.ts';

type Engine = BrandInWeek['engines'][number];

/**
 * The week at a glance from its one document: a row for each brand, those with a change first, and the sentences of the
 * brands in which something happened. Names link to `#brand-ID`.
 * @param before the week before, for the change; null if there is none, or it is not loaded
 */
export function weekGlance({ asOf, brands }: Week, before: Week | null): Html {
  const ordered = urgentFirst(brands);
  const inWords = ordered.filter((facts) => isNotable(facts));
  return markup`${table(
    'The week at a glance',
    [
      { name: 'Brand' },
      { name: 'Engines that moved' },
      { name: 'Visibility, %', isNumber: true },
      { name: 'Week before, %', isNumber: true },
      { name: 'Share of voice, %', isNumber: true },
      { name: 'Rank', isNumber: true },
      { name: 'Leaders' },
      { name: 'Prompts won', isNumber: true },
      { name: 'Prompts lost', isNumber: true },
      { name: 'Own site, citations', isNumber: true },
    ],
    ordered.map((facts) => rowOf(facts, asOf!, before)),
  )}
    <p class="soft">${falseAlarms}</p>
    <section aria-label="The week in words">
      <h2>The week in words</h2>
      ${inWords.length === 0 ? markup`<p>No brand moved beyond its usual range.</p>` : null}
      ${inWords.map(
        (facts) => markup`<h3><a href="#brand-${facts.brand.id}">${nameOf(facts.brand.name)}</a></h3>
          <p>${withNames(factsInWords(facts, asOf!).join(' '))}</p>`,
      )}
    </section>`;
}

function rowOf(facts: BrandInWeek, asOf: string, before: Week | null): (Html | string | number | null)[] {
  const { brand, overallVisibility, engines, shareOfVoice, results, ownSite } = facts;
  const earlier = before?.brands.find((each) => each.brand.id === brand.id);
  const isThisWeek = results.cycle !== null && isOfWeek(results.cycle, asOf);
  return [
    markup`<a href="#brand-${brand.id}">${nameOf(brand.name)}</a>`,
    movedCell(facts, asOf, earlier),
    engines.length === 0 ? null : overallVisibility,
    earlier === undefined || earlier.engines.length === 0 ? null : earlier.overallVisibility,
    shareOfVoice.totalMentions === 0 ? null : shareOfVoice.sovPct,
    shareOfVoice.names < 2 ? null : shareOfVoice.rank,
    leadersCell(facts),
    isThisWeek ? results.won : null,
    isThisWeek ? results.lost : null,
    ownSite?.citations ?? null,
  ];
}

function isNotable({ silent, moved, engines }: BrandInWeek): boolean {
  return (
    silent.length > 0 || moved.length > 0 || engines.some((each) => each.isSignificant || each.isLasting)
  );
}

function movedCell(facts: BrandInWeek, asOf: string, earlier: BrandInWeek | undefined): Html | string {
  const { engines, silent } = facts;
  const read = (reading: string) =>
    engines.filter((engine) => readingInWeek(engine, facts, asOf) === reading);
  const cells = [
    ...silent.map(({ slug, lastAnswered }) => {
      const since =
        lastAnswered === null ? 'never answered' : `no answer since ${dayInWords(lastAnswered, asOf)}`;
      return markup`<span class="label moved">${engineName(slug)}: ${since}</span> `;
    }),
    ...read('moved').map((engine) => markup`<span class="label moved">${scoresOf(engine, earlier)}</span> `),
    ...read('possibly chance').map(
      (engine) => markup`<span class="label">${scoresOf(engine, earlier)}, possibly chance</span> `,
    ),
  ];
  if (cells.length > 0) return markup`${cells}`;
  if (engines.length === 0) return 'no answers yet';
  if (read('as usual').length > 0) return 'none';
  return read('warming up').length > 0 ? 'warming up' : 'no answers this week';
}

/** With the score of the week before, if that is known and another one. */
function scoresOf({ slug, score, date }: Engine, earlier: BrandInWeek | undefined): Html {
  const was = earlier?.engines.find((engine) => engine.slug === slug && engine.date < date);
  const from = was === undefined || was.score === score ? '' : `${was.score} → `;
  return markup`${engineName(slug)} ${from}${score}\u00a0%`;
}

/** More names than this are counted, not listed. */
const LISTED = 3;

function leadersCell({ shareOfVoice }: BrandInWeek): Html | string {
  const { names, totalMentions, leaders, leadersByPrompt } = shareOfVoice;
  if (names < 2) return 'no competitors are tracked';
  if (totalMentions === 0) return 'no mentions';
  const leading = leadersByPrompt ?? leaders;
  const listed = leading
    .slice(0, LISTED)
    .map((name, index) => markup`${index === 0 ? '' : ', '}${nameOf(name)}`);
  if (leading.length === 1) return markup`${listed} leads`;
  const others = leading.length - listed.length;
  return markup`tied: ${listed}${others === 0 ? null : ` and ${others} ${others === 1 ? 'other' : 'others'}`}`;
}
