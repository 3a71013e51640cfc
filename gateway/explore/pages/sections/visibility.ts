import { readingOf } from '../../../../lib/weeks/readings.ts';
import { dayInWords, engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Visibility } from '../../../../lib/documents/visibility.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { lineChart } from '../charts.ts';
import type { LinePoint } from '../charts.ts';
import { markup, nameOf } from '../markup.ts';
import type { Html } from '../markup.ts';
import { link, table } from '../page.ts';
import { falseAlarms } from './glance.ts';
import { marksFor } from '../week.ts';
import type { EngineHistory } from '../week.ts';

type Engine = Visibility['perEngine'][number];

/** A chart of the scores of each engine over time with its drift band, and the numbers in tables. */
export function visibilitySection(
  visibility: Visibility,
  histories: readonly EngineHistory[],
  asOf: string,
): Html {
  const { brand, overallVisibility, perEngine } = visibility;
  if (perEngine.length === 0)
    return markup`<h3>Visibility</h3>
      ${silentList(visibility, asOf)}
      <p>No answers yet.</p>`;
  return markup`<h3>Visibility</h3>
    <p>
      The engines named the brand in ${overallVisibility} % of the tracked prompts: the mean of their latest scores.
    </p>
    ${silentList(visibility, asOf)}
    <div class="charts">
      ${histories.map(
        (history) => markup`<figure>
          <figcaption>${engineName(history.slug)}</figcaption>
          ${engineChart(brand.name, history, visibility, asOf)}
        </figure>`,
      )}
    </div>
    ${legend} ${columnWords} ${latestTable(visibility, asOf)} ${modelsText(visibility)} ${unbrandedText(visibility)} ${eventsList(visibility)} ${scoresTable(brand.name, histories)}
    ${signals(visibility)}`;
}

const legend = markup`<p class="soft legend">
  Shaded: the drift band, where 95 % of weeks would fall if nothing had changed. <span class="moved-sign">◆</span> A
  score outside of it. <span class="model-sign">▼</span> The model behind the engine changed. Dashed line: an event.
  ${falseAlarms}
</p>`;

const columnWords = markup`<p class="soft legend">
  Cycle: the weekly round in which the prompts are asked, by its date. Same prompts: of the prompts that also ran in
  earlier cycles, how many named the brand, and how many would if nothing had changed. Would show: a fall by this
  number of points shows in about seven of ten weeks. Four weeks: how often the same prompts named the brand in the newest four
  cycles, and how often they would if nothing had changed.
</p>`;

function engineChart(
  brand: string,
  { slug, points }: EngineHistory,
  visibility: Visibility,
  asOf: string,
): Html {
  const latest = points.at(-1)!;
  return lineChart(
    {
      title: `Visibility of ${brand} on ${engineName(slug)}, in percent`,
      description: `${points.length} weekly scores from ${points[0]!.date} to ${latest.date}; the latest is ${latest.score} %${bandText(latest)}.`,
    },
    points,
    marksFor(slug, visibility),
    asOf,
  );
}

function bandText({ bandLow, bandHigh, isSignificant }: LinePoint): string {
  if (bandLow === null) return ', still warming up';
  return `, ${isSignificant ? 'outside' : 'inside'} of its drift band of ${bandLow} to ${bandHigh} %`;
}

function latestTable(visibility: Visibility, asOf: string): Html {
  const { brand, perEngine } = visibility;
  return table(
    `Latest scores of ${isolatedName(brand.name)}`,
    [
      { name: 'Engine' },
      { name: 'Cycle' },
      { name: 'Score, %', isNumber: true },
      { name: 'Named in', isNumber: true },
      { name: 'Drift band, %', isNumber: true },
      { name: 'Same prompts', isNumber: true },
      { name: 'Would show, points', isNumber: true },
      { name: 'Four weeks', isNumber: true },
      { name: 'Reading' },
      { name: `No answer in ${WINDOW_DAYS} days, %`, isNumber: true },
    ],
    perEngine.map((engine) => [
      engineName(engine.slug),
      engine.date,
      engine.score,
      namedIn(engine),
      engine.bandLow === null ? null : `${engine.bandLow} to ${engine.bandHigh}`,
      samePromptsText(engine),
      engine.samePrompts?.detectablePp ?? null,
      fourWeeksText(engine),
      readingText(engine, visibility, asOf),
      engine.noAnswerRate,
    ]),
  );
}

/** With the answers where a prompt was asked more than once: a score rises with them. */
function namedIn({ promptsNamed, promptsAnswered, answers }: Engine): string {
  const counts = `${promptsNamed} of ${promptsAnswered} prompts`;
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

/** `2 of 7, 4.1 expected`; null without a comparison. */
function samePromptsText({ samePrompts }: Engine): string | null {
  if (samePrompts === null || samePrompts.prompts === 0) return null;
  return `${samePrompts.named} of ${samePrompts.prompts}, ${samePrompts.expected} expected`;
}

/** `54, 66.6 expected: lasting`; null without a comparison. */
function fourWeeksText({ fourWeeks }: Engine): string | null {
  if (fourWeeks === null) return null;
  return `${fourWeeks.named}, ${fourWeeks.expected} expected${fourWeeks.isSignificant ? ': lasting' : ''}`;
}

function readingText(engine: Engine, visibility: Visibility, asOf: string): Html | string {
  const model = engine.modelsChanged === true ? ', new model' : '';
  const reading = readingOf(engine, visibility, asOf);
  if (reading === 'moved') return markup`<span class="label moved">moved</span>${model}`;
  if (reading === 'silent' || reading === 'older week')
    return `no answer since ${dayInWords(engine.date, asOf)}`;
  return `${reading}${model}`;
}

/** The engines that gave no answer lately, first of all; null if there are none. */
function silentList({ silent }: Visibility, asOf: string): Html | null {
  if (silent.length === 0) return null;
  return markup`<ul>
    ${silent.map(
      ({ slug, lastAnswered, runs }) => markup`<li>
        <span class="label moved">no answer</span> ${engineName(slug)} ${lastAnswered === null ? 'has never answered' : `has not answered since ${dayInWords(lastAnswered, asOf)}`};
        ${runs === 0 ? 'no run was delivered' : `${runs} runs`} in the last ten days.
      </li> `,
    )}
  </ul>`;
}

function eventsList({ events }: Visibility): Html | null {
  if (events.length === 0) return null;
  return markup`<ul class="events">
    ${events.map(
      ({ date, slug, text, url }) => markup`<li>
        ${date}${slug === null ? null : ` · ${engineName(slug)}`}:
        ${link(url, text)}
      </li> `,
    )}
  </ul>`;
}

function scoresTable(brand: string, histories: readonly EngineHistory[]): Html {
  const dates = [...new Set(histories.flatMap(({ points }) => points.map(({ date }) => date)))];
  const rows = dates
    .toSorted((a, b) => (a < b ? 1 : -1))
    .map((date) => [
      date,
      ...histories.map(({ points }) => points.find((point) => point.date === date)?.score ?? null),
    ]);
  const columns = histories.map(({ slug }) => ({ name: engineName(slug), isNumber: true }));
  return markup`<details class="screen">
    <summary>All scores as numbers</summary>
    ${table(`Weekly scores of ${isolatedName(brand)}, in percent, newest first`, [{ name: 'Cycle' }, ...columns], rows)}
  </details>`;
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
