import { readingOf } from '../../../../lib/weeks/readings.ts';
import type { Reading } from '../../../../lib/weeks/readings.ts';
import { dayInWords, engineName, isolatedName } from '../../../../lib/weeks/names.ts';
import type { Visibility } from '../../../../lib/documents/visibility.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { markup, nameOf } from '../markup.ts';
import type { Html } from '../markup.ts';
import { chart, chip, link, table } from '../page.ts';
import { sheetOf } from '../sheets.ts';
import { falseAlarms } from './glance.ts';
import { engineHistories, silentGroups } from '../week.ts';
import type { Band, BrandWeek } from '../week.ts';

type Engine = Visibility['perEngine'][number];

/** A chart of the scores of each engine over time with its drift band, those that moved first, and the numbers. */
export function visibilitySection(week: BrandWeek, bands: readonly Band[]): Html {
  const { visibility, asOf } = week;
  const { perEngine } = visibility;
  const start = markup`<h3>Visibility</h3>
    ${silentList(visibility, asOf)}`;
  if (perEngine.length === 0)
    return markup`<section class="card" id="visibility">${start}
      <p>No answers yet.</p></section>`;
  return markup`<section class="card" id="visibility">${start}
    <p class="soft">
      The part of the tracked prompts in which each engine named the brand, week by week, all on the same scale.
    </p>
    <div id="engines">${engineCharts(week, bands)}</div>
    ${legend} ${latestTable(week)} ${columnWords} ${modelsText(visibility)} ${unbrandedText(visibility)} ${eventsList(visibility)}
    ${signals(visibility)}
  </section>`;
}

/** The charts alone: they are drawn again when the bands of earlier weeks are known. */
export function engineCharts(week: BrandWeek, bands: readonly Band[]): Html {
  const { visibility, asOf } = week;
  const histories = engineHistories(week, bands).map((history) => {
    const engine = visibility.perEngine.find(({ slug }) => slug === history.slug)!;
    return { ...history, engine, reading: readingOf(engine, visibility, asOf) };
  });
  // A chart whose last score is of an older week must not look current.
  const axis = {
    from: histories.flatMap(({ points }) => points.map(({ date }) => date)).toSorted()[0]!,
    until: asOf.slice(0, 10),
  };
  const ordered = histories.toSorted((a, b) => Number(isAlert(b.reading)) - Number(isAlert(a.reading)));
  return markup`<div class="charts">
    ${ordered.map(({ slug, engine, points, reading }) => {
      const isLarge = reading === 'moved';
      return markup`<figure class="${isLarge ? 'large' : ''}">
        <figcaption><b>${engineName(slug)}</b> ${points.at(-1)!.score}\u00a0% ${readingChip(engine, visibility, asOf)}</figcaption>
        ${chart({
          kind: 'scores',
          title: `Visibility of ${visibility.brand.name} on ${engineName(slug)} over time, in percent`,
          points,
          events: visibility.events.filter((event) => event.slug === null || event.slug === slug),
          ...axis,
          isLarge,
        })}
      </figure>`;
    })}
  </div>`;
}

function isAlert(reading: Reading): boolean {
  return reading === 'moved' || reading === 'possibly chance';
}

function readingChip(engine: Engine, visibility: Visibility, asOf: string): Html {
  const model = engine.modelsChanged === true ? ', new model' : '';
  const reading = readingOf(engine, visibility, asOf);
  if (reading === 'moved') return chip('moved', `moved${model}`);
  if (reading === 'possibly chance') return chip('chance', `possibly chance${model}`);
  if (reading === 'silent' || reading === 'older week')
    return chip('silent', `no answer since ${dayInWords(engine.date, asOf)}`);
  return markup`<span class="soft">${reading}${model}</span>`;
}

const legend = markup`<p class="soft legend">
  <span class="band-sign" aria-hidden="true"></span> Drift band: where 95 % of weeks would fall if nothing had changed.
  <span class="moved-sign" aria-hidden="true">◆</span> A score outside of it.
  <span aria-hidden="true">▼</span> The model behind the engine changed. Dashed line: an event. Point at a chart, or focus
  it and press an arrow key, to read its numbers. ${falseAlarms}
</p>`;

const columnWords = markup`<details>
  <summary>What the columns say</summary>
  <p class="soft">
    Cycle: the weekly round in which the prompts are asked, by its date. Same prompts: of the prompts that also ran in
    earlier cycles, how many named the brand, and how many would if nothing had changed. Would show: a fall by this number
    of points shows in about seven of ten weeks. Four weeks: how often the same prompts named the brand in the newest four
    cycles, and how often they would if nothing had changed.
  </p>
</details>`;

function latestTable(week: BrandWeek): Html {
  const { visibility, asOf } = week;
  const { brand, perEngine } = visibility;
  return table(
    `Latest scores of ${isolatedName(brand.name)}`,
    [
      { name: 'Engine' },
      { name: 'Score, %', isNumber: true },
      { name: 'Drift band, %', isNumber: true },
      { name: 'Reading' },
      { name: 'Prompts named', isNumber: true },
      { name: 'Same prompts (expected)', isNumber: true },
      { name: 'Would show, points', isNumber: true },
      { name: 'Four weeks (expected)', isNumber: true },
      { name: 'No answer, %', isNumber: true },
      { name: 'Cycle' },
    ],
    perEngine.map((engine) => [
      engineName(engine.slug),
      engine.score,
      engine.bandLow === null ? null : `${engine.bandLow} to ${engine.bandHigh}`,
      readingChip(engine, visibility, asOf),
      namedIn(engine),
      samePromptsText(engine),
      engine.samePrompts?.detectablePp ?? null,
      fourWeeksText(engine),
      engine.noAnswerRate,
      markup`<span class="date">${engine.date}</span>`,
    ]),
    { sheet: sheetOf('visibility', week) },
  );
}

/** With the answers where a prompt was asked more than once: a score rises with them. */
function namedIn({ promptsNamed, promptsAnswered, answers }: Engine): string {
  const counts = `${promptsNamed} of ${promptsAnswered}`;
  return answers > promptsAnswered ? `${counts}, ${answers} answers` : counts;
}

/** The models behind the latest scores; null if none is known. */
function modelsText({ perEngine }: Visibility): Html | null {
  const known = perEngine.flatMap(({ slug, models }) =>
    models.length === 0 ? [] : [`${engineName(slug)} ${models.join(', ')}`],
  );
  return known.length === 0 ? null : markup`<p class="soft">Models: ${known.join('; ')}.</p>`;
}

/** The counts without prompts that contain the brand's name; null if no such prompt was answered. */
function unbrandedText({ brand, perEngine }: Visibility): Html | null {
  const counts = perEngine.flatMap(({ slug, promptsAnswered, unbranded }) =>
    unbranded.promptsAnswered === promptsAnswered
      ? []
      : [`${engineName(slug)} ${unbranded.promptsNamed} of ${unbranded.promptsAnswered}`],
  );
  if (counts.length === 0) return null;
  return markup`<p class="soft">Named in prompts that do not contain “${nameOf(brand.name)}”: ${counts.join('; ')}.</p>`;
}

/** `2 of 7 (4.1)`; null without a comparison. */
function samePromptsText({ samePrompts }: Engine): string | null {
  if (samePrompts === null || samePrompts.prompts === 0) return null;
  return `${samePrompts.named} of ${samePrompts.prompts} (${samePrompts.expected})`;
}

/** `54 (66.6) lasting`; null without a comparison. */
function fourWeeksText({ fourWeeks }: Engine): string | null {
  if (fourWeeks === null) return null;
  return `${fourWeeks.named} (${fourWeeks.expected})${fourWeeks.isSignificant ? ' lasting' : ''}`;
}

/** The engines that gave no answer lately, first of all; null if there are none. */
function silentList({ silent }: Visibility, asOf: string): Html | null {
  if (silent.length === 0) return null;
  return markup`<ul class="signs">
    ${silentGroups(silent, asOf).map(({ engines, text }) => {
      const runs = engines.reduce((sum, engine) => sum + engine.runs, 0);
      return markup`<li>
        ${chip('silent', 'silent')} ${text};
        ${runs === 0 ? 'no run was delivered' : `${runs} runs`} in the last ten days.
      </li> `;
    })}
  </ul>`;
}

function eventsList({ events }: Visibility): Html | null {
  if (events.length === 0) return null;
  return markup`<ul class="events">
    ${events.map(
      ({ date, slug, text, url }) => markup`<li>
        <span class="date">${date}</span>${slug === null ? null : ` · ${engineName(slug)}`}:
        ${link(url, text)}
      </li> `,
    )}
  </ul>`;
}

function signals({ signals: counted }: Visibility): Html {
  const { mentions, positive, neutral, negative, netSentiment, avgPosition } = counted;
  if (mentions === 0) return markup`<p>The brand was not mentioned in the last ${WINDOW_DAYS} days.</p>`;
  const classified = positive + neutral + negative;
  const more = classified < mentions ? `, ${mentions - classified} not classified` : '';
  const sentiment =
    classified === 0
      ? 'sentiment not classified'
      : `${positive} positive, ${neutral} neutral, ${negative} negative${more}; net sentiment ${netSentiment}`;
  return markup`<p>
    Mentioned ${mentions} times in the last ${WINDOW_DAYS} days, in ${counted.answersNaming} of ${counted.answers} answers: ${sentiment}, mean position ${avgPosition}.
  </p>`;
}
