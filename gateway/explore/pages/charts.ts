import { isOfWeek } from '../../../lib/weeks/readings.ts';
import { markup, trusted } from './markup.ts';
import type { Html } from './markup.ts';

/**
 * The charts of the report and of the page /explore: static SVG, the same for the same numbers. Colours are classes,
 * so that charts follow the page's dark mode and its print style. Each chart is one labelled image; a table has its
 * numbers.
 */

interface Labels {
  title: string;
  /** What it shows, in a sentence or two, for screen readers. */
  description: string;
}

export interface LinePoint {
  /** YYYY-MM-DD */
  date: string;
  score: number;
  /** The drift band of that week; null if it is not known. */
  bandLow: number | null;
  bandHigh: number | null;
  isSignificant: boolean;
  modelsChanged: boolean;
}

/** Something that happened outside, drawn as a vertical line. */
export interface Mark {
  date: string;
  text: string;
}

const [WIDTH, HEIGHT] = [330, 134];
const plot = { left: 30, right: WIDTH - 8, top: 8, bottom: HEIGHT - 22 };

const heightOf = (percent: number) => between(plot.bottom, plot.top, percent / 100);

/**
 * Scores in percent over time, oldest first, with bands, events, and changes of the model.
 * @param until the day on which the axis ends, if the last score is of an older week
 */
export function lineChart(
  labels: Labels,
  points: readonly LinePoint[],
  marks: readonly Mark[],
  until: string,
): Html {
  const [first, last] = [daysOf(points[0]!.date), axisEnd(points.at(-1)!.date, until)];
  const x = (date: string) =>
    first === last
      ? (plot.left + plot.right) / 2
      : between(plot.left, plot.right, (daysOf(date) - first) / (last - first));
  const inside = marks.filter(({ date }) => daysOf(date) >= first && daysOf(date) <= last);
  return drawing(labels, WIDTH, HEIGHT, [
    ...[0, 50, 100].map(
      (
        percent,
      ) => markup`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${heightOf(percent)}" y2="${heightOf(percent)}"/>
      <text x="${plot.left - 5}" y="${heightOf(percent) + 3.5}" text-anchor="end">${percent}</text>`,
    ),
    ...dateLabels(points, last, x),
    band(points, x),
    ...inside.map(
      ({ date, text }) =>
        markup`<line class="event" x1="${x(date)}" x2="${x(date)}" y1="${plot.top}" y2="${plot.bottom}"><title>${date}: ${text}</title></line>`,
    ),
    markup`<polyline class="line" points="${points.map(({ date, score }) => `${x(date)},${heightOf(score)}`).join(' ')}"/>`,
    ...points
      .filter(({ modelsChanged }) => modelsChanged)
      .map(({ date, score }) => modelChange(x(date), heightOf(score))),
    ...points.map((point, index) =>
      dot(point, index === points.length - 1, x(point.date), heightOf(point.score)),
    ),
  ]);
}

/** The bands of consecutive weeks as areas; a week without a neighbour as a bar. */
function band(points: readonly LinePoint[], x: (date: string) => number): Html {
  const runs: LinePoint[][] = [];
  let run: LinePoint[] = [];
  for (const point of points) {
    if (point.bandLow === null) run = [];
    else if (run.push(point) === 1) runs.push(run);
  }
  return markup`${runs.map((part) => {
    const high = part.map((point) => `${x(point.date)},${heightOf(point.bandHigh!)}`);
    const low = part.map((point) => `${x(point.date)},${heightOf(point.bandLow!)}`).toReversed();
    return part.length === 1
      ? markup`<rect class="band" x="${x(part[0]!.date) - 5}" width="10" y="${heightOf(part[0]!.bandHigh!)}" height="${heightOf(part[0]!.bandLow!) - heightOf(part[0]!.bandHigh!)}"/>`
      : markup`<polygon class="band" points="${[...high, ...low].join(' ')}"/>`;
  })}`;
}

/** A diamond outside the band, so that colour is not the only sign. */
function dot({ isSignificant }: LinePoint, isLatest: boolean, x: number, y: number): Html | null {
  if (isSignificant) return markup`<path class="outside" d="M${x} ${y - 6}l6 6l-6 6l-6 -6z"/>`;
  return isLatest ? markup`<circle class="dot" cx="${x}" cy="${y}" r="3.5"/>` : null;
}

function modelChange(x: number, y: number): Html {
  return markup`<path class="model" d="M${x} ${y - 9}l4 -7h-8z"><title>The model behind the engine changed.</title></path>`;
}

/** The end of the axis in days: a chart whose last score is of an older week must not look current. */
function axisEnd(date: string, until: string): number {
  return isOfWeek(date, until) ? daysOf(date) : daysOf(until.slice(0, 10));
}

/** The first date, the last one, and one between them; the end of the axis too, if it is later. */
function dateLabels(points: readonly LinePoint[], last: number, x: (date: string) => number): Html[] {
  const indexes = [...new Set([0, Math.floor((points.length - 1) / 2), points.length - 1])];
  const end = new Date(last * DAY_MS).toISOString().slice(0, 10);
  const dates = indexes.map((index) => points[index]!.date);
  const shown = dates.at(-1) === end ? dates : [dates[0]!, end];
  return shown.map((date, place) => {
    const anchor =
      shown.length === 1 ? 'middle' : place === 0 ? 'start' : place === shown.length - 1 ? 'end' : 'middle';
    return markup`<text x="${x(date)}" y="${HEIGHT - 6}" text-anchor="${anchor}">${dayInWords(date)}</text>`;
  });
}

/** Less than this many points of difference must not look like a change. */
const SPARK_SPAN = 40;

/**
 * A line without axes for a cell of a table: values from 0 to 100, oldest first.
 * @param until the day on which it ends, if the last value is of an older week
 */
export function sparkline(
  labels: Labels,
  points: readonly { date: string; value: number }[],
  until: string,
): Html {
  const [width, height] = [96, 24];
  const values = points.map(({ value }) => value);
  const first = daysOf(points[0]!.date);
  const last = axisEnd(points.at(-1)!.date, until);
  const x = (index: number) =>
    between(2, width - 4, first === last ? 1 : (daysOf(points[index]!.date) - first) / (last - first));
  const middle = (Math.min(...values) + Math.max(...values)) / 2;
  const span = Math.max(SPARK_SPAN, Math.max(...values) - Math.min(...values));
  const y = (value: number) => between(height - 3, 3, 0.5 + (value - middle) / span);
  return drawing(labels, width, height, [
    markup`<polyline class="line" points="${values.map((value, index) => `${x(index)},${y(value)}`).join(' ')}"/>`,
    markup`<circle class="dot" cx="${x(values.length - 1)}" cy="${y(values.at(-1)!)}" r="2.5"/>`,
  ]);
}

export interface IntervalRow {
  name: string;
  low: number;
  value: number;
  high: number;
  isBrand: boolean;
}

const ROW = 24;
const NAMES = 170;

/** A percentage with its interval for each name, in the given order. */
export function intervalChart(labels: Labels, rows: readonly IntervalRow[]): Html {
  const [width, height] = [520, rows.length * ROW + 24];
  const most = Math.min(100, Math.ceil((Math.max(...rows.map(({ high }) => high)) + 1) / 10) * 10);
  const x = (percent: number) => between(NAMES + 10, width - 14, percent / most);
  return drawing(labels, width, height, [
    ...[0, most / 2, most].map(
      (
        percent,
      ) => markup`<line class="grid" x1="${x(percent)}" x2="${x(percent)}" y1="0" y2="${height - 20}"/>
      <text x="${x(percent)}" y="${height - 6}" text-anchor="middle">${percent} %</text>`,
    ),
    ...rows.map(({ name, low, value, high, isBrand }, index) => {
      const y = index * ROW + ROW / 2;
      const kind = isBrand ? 'own' : 'other';
      return markup`<text class="name ${kind}" x="${NAMES}" y="${y + 4}" text-anchor="end">${shortened(name)}</text>
      <line class="interval ${kind}" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>
      <circle class="${kind}" cx="${x(value)}" cy="${y}" r="4.5"/>`;
    }),
  ]);
}

export interface GapRow {
  name: string;
  /** Positive: the competitors are mentioned more often than the brand. */
  gap: number;
  isOwn: boolean;
}

/** Bars to the right where competitors are ahead, to the left where the brand is. */
export function gapChart(labels: Labels, rows: readonly GapRow[]): Html {
  const [width, height] = [520, rows.length * ROW];
  const low = Math.min(0, ...rows.map(({ gap }) => gap));
  const high = Math.max(1, ...rows.map(({ gap }) => gap));
  const x = (gap: number) => between(NAMES + 34, width - 34, (gap - low) / (high - low));
  return drawing(labels, width, height, [
    markup`<line class="grid" x1="${x(0)}" x2="${x(0)}" y1="0" y2="${height}"/>`,
    ...rows.map(({ name, gap, isOwn }, index) => {
      const y = index * ROW + ROW / 2;
      const [from, to] = gap < 0 ? [x(gap), x(0)] : [x(0), x(gap)];
      return markup`<text class="name ${isOwn ? 'own' : 'other'}" x="${NAMES}" y="${y + 4}" text-anchor="end">${shortened(name)}</text>
      <rect class="${gap < 0 ? 'own' : 'other'}" x="${from}" width="${to - from}" y="${y - 7}" height="14"/>
      <text x="${gap < 0 ? from - 5 : to + 5}" y="${y + 4}" text-anchor="${gap < 0 ? 'end' : 'start'}">${gap}</text>`;
    }),
  ]);
}

function drawing(
  { title, description }: Labels,
  width: number,
  height: number,
  parts: readonly (Html | null)[],
): Html {
  const drawn = trusted(parts.map((part) => part?.text ?? '').join(''));
  return markup`<svg role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
    <title>${title}</title>
    <desc>${description}</desc>
    <g aria-hidden="true">${drawn}</g>
  </svg>`;
}

/** With two decimals: a tenth of what a screen can show. */
function between(from: number, to: number, share: number): number {
  return Math.round((from + (to - from) * share) * 100) / 100;
}

const DAY_MS = 86_400_000;

function daysOf(date: string): number {
  return Date.parse(date) / DAY_MS;
}

function dayInWords(date: string): string {
  return new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}

/** The table next to the chart has the whole name. */
function shortened(name: string): string {
  const graphemes = Array.from(new Intl.Segmenter('en').segment(name), ({ segment }) => segment);
  return graphemes.length > 24 ? `${graphemes.slice(0, 23).join('')}…` : name;
}
