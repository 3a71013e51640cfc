import type { Visibility } from '../../lib/documents/visibility.ts';
import { WINDOW_DAYS } from '../../lib/methodology/constants.ts';
import { markup } from '../html/html.ts';
import type { Html } from '../html/html.ts';
import { table } from '../html/page.ts';
import { engineName } from '../diff/words.ts';
import { drawChart } from './chart.ts';
import type { Chart } from './chart.ts';
import type { EngineHistory, EnginePoint } from './history.ts';

/** A chart of the scores of each engine over time with its drift band, and the numbers in tables. */
export async function visibilitySection(
  visibility: Visibility,
  histories: readonly EngineHistory[],
): Promise<Html> {
  const charts: Html[] = [];
  for (const history of histories) charts.push(await engineFigure(visibility.brand.name, history));
  const { overallVisibility, alerts } = visibility;
  const flagged =
    alerts.length === 0
      ? 'No score lies outside its drift band.'
      : `Outside of the drift band: ${alerts.map(({ slug, score }) => `${engineName(slug)} (${score}\u00a0%)`).join(', ')}.`;
  return markup`<h3>Visibility</h3>
    <p>
      The engines named the brand in ${overallVisibility} % of the tracked prompts, on the mean of their
      latest scores. ${flagged}
    </p>
    ${histories.length === 0 ? markup`<p>Nothing has run yet.</p>` : markup`<div class="charts">${charts}</div>`}
    ${histories.length === 0 ? null : latestTable(visibility)}
    ${histories.length === 0 ? null : scoresTable(visibility.brand.name, histories)} ${signals(visibility)}`;
}

async function engineFigure(brand: string, history: EngineHistory): Promise<Html> {
  const chart = engineChart(brand, history);
  return markup`<figure>
    <figcaption>${engineName(history.slug)}</figcaption>
    ${await drawChart(chart)}
  </figure>`;
}

const PERCENT: number[] = [0, 100];

function engineChart(brand: string, { slug, points }: EngineHistory): Chart {
  const latest = points.at(-1)!;
  return {
    title: `Visibility of ${brand} on ${engineName(slug)}, in percent`,
    description: `${points.length} weekly scores from ${points[0]!.date} to ${latest.date}; the latest is ${latest.score} %${bandText(latest)}.`,
    spec: {
      width: 300,
      height: 110,
      encoding: {
        x: {
          field: 'date',
          type: 'temporal',
          scale: { type: 'utc' },
          axis: { title: null, format: '%-d %b', tickCount: 4, grid: false, labelFlush: true },
        },
      },
      layer: layersOf(points, latest),
    },
  };
}

type Layers = Extract<Chart['spec'], { layer: unknown }>['layer'];

/** From back to front: the band, the scores, those outside of the band, the latest. */
function layersOf(points: readonly EnginePoint[], latest: EnginePoint): Layers {
  const y = {
    type: 'quantitative',
    scale: { domain: PERCENT },
    axis: { tickCount: 3 },
    title: null,
  } as const;
  const band = points.filter(({ bandLow }) => bandLow !== null);
  return [
    {
      data: { values: band },
      mark:
        band.length === 1
          ? { type: 'rule', color: 'var(--band)', strokeWidth: 8 }
          : { type: 'area', color: 'var(--band)' },
      encoding: { y: { ...y, field: 'bandLow' }, y2: { field: 'bandHigh' } },
    },
    {
      data: { values: points },
      mark: { type: 'line', color: 'var(--accent)' },
      encoding: { y: { ...y, field: 'score' } },
    },
    {
      data: { values: points.filter(({ isSignificant }) => isSignificant) },
      mark: {
        type: 'point',
        shape: 'diamond',
        size: 90,
        filled: true,
        opacity: 1,
        color: 'var(--moved)',
      },
      encoding: { y: { ...y, field: 'score' } },
    },
    {
      data: { values: [latest] },
      mark: {
        type: 'point',
        size: 36,
        filled: true,
        opacity: 1,
        color: latest.isSignificant ? 'var(--moved)' : 'var(--accent)',
      },
      encoding: { y: { ...y, field: 'score' } },
    },
  ];
}

function bandText({ bandLow, bandHigh, isSignificant }: EngineHistory['points'][number]): string {
  if (bandLow === null) return ', still warming up';
  return `, ${isSignificant ? 'outside' : 'inside'} of its drift band of ${bandLow} to ${bandHigh} %`;
}

function latestTable({ brand, perEngine }: Visibility): Html {
  return table(
    `Latest scores of ${brand.name}`,
    [
      { name: 'Engine' },
      { name: 'Cycle' },
      { name: 'Score, %', isNumber: true },
      { name: 'Named in', isNumber: true },
      { name: 'Drift band, %', isNumber: true },
      { name: 'Reading' },
      { name: 'No answer, %', isNumber: true },
    ],
    perEngine.map((engine) => [
      engineName(engine.slug),
      engine.date,
      engine.score,
      countOf(engine.promptsNamed, engine.promptsAnswered, 'prompts'),
      engine.bandLow === null ? null : `${engine.bandLow} to ${engine.bandHigh}`,
      engine.isWarmingUp
        ? 'warming up'
        : engine.isSignificant
          ? markup`<span class="label moved">outside the band</span>`
          : 'inside the band',
      engine.noAnswerRate,
    ]),
  );
}

/** `12 of 25 prompts`; null for snapshots of versions that published no counts. */
function countOf(part: number | undefined, whole: number | undefined, noun: string): string | null {
  return part === undefined || whole === undefined ? null : `${part} of ${whole} ${noun}`;
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
    ${table(`Weekly scores of ${brand}, in percent, newest first`, [{ name: 'Cycle' }, ...columns], rows)}
  </details>`;
}

function signals({ signals: counted }: Visibility): Html {
  const { mentions, positive, neutral, negative, netSentiment, avgPosition } = counted;
  const answers = countOf(counted.answersNaming, counted.answers, 'answers');
  if (mentions === 0) return markup`<p>The brand was not mentioned in the last ${WINDOW_DAYS} days.</p>`;
  const unclassified = mentions - positive - neutral - negative;
  return markup`<p>
    Mentioned ${mentions} times in the last ${WINDOW_DAYS} days${answers === null ? '' : `, in ${answers}`}: ${positive} positive, ${neutral} neutral, ${negative}
    negative${unclassified > 0 ? `, ${unclassified} not classified` : ''}; net sentiment ${netSentiment}, mean position ${avgPosition}.
  </p>`;
}
