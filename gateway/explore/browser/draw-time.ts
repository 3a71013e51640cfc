import * as Plot from '@observablehq/plot';
import { dayInWords } from '../../../lib/weeks/names.ts';
import type { RivalsChart, ScorePoint, ScoresChart } from '../pages/parts.ts';
import { plot, shortened } from './plot.ts';
import type { Drawing } from './plot.ts';

const dayOf = (date: string) => new Date(`${date}T00:00:00Z`);
const MARGIN_LEFT = 30;

export function scores(chart: ScoresChart, width: number): Drawing {
  const { from, until, isLarge } = chart;
  return plot({
    width,
    height: isLarge ? 230 : 150,
    marginLeft: MARGIN_LEFT,
    marginRight: 42,
    marginTop: 12,
    marginBottom: 22,
    x: { type: 'utc', domain: [dayOf(from), dayOf(until)], ticks: isLarge ? 6 : 3, label: null, tickSize: 0 },
    y: { domain: [0, 100], ticks: [0, 50, 100], label: null, tickSize: 0 },
    marks: scoreMarks(chart),
  });
}

/** The band, events, the line, and signs on it. */
function scoreMarks({ points, events, from, until, isLarge }: ScoresChart): Plot.Markish[] {
  const last = points.at(-1)!;
  const rows = points.map((point) => ({ ...point, day: dayOf(point.date) }));
  const hasBand = (at: number) => typeof rows[at]?.bandLow === 'number';
  const alone = rows.filter((_, at) => hasBand(at) && !hasBand(at - 1) && !hasBand(at + 1));
  const marks = events.filter(({ date }) => date >= from && date <= until);
  return [
    Plot.gridY([0, 50, 100], { stroke: 'var(--line)', strokeOpacity: 1 }),
    Plot.areaY(rows, { x: 'day', y1: 'bandLow', y2: 'bandHigh', fill: 'var(--band)' }),
    // A week whose neighbours have no band is no area.
    Plot.ruleX(alone, { x: 'day', y1: 'bandLow', y2: 'bandHigh', stroke: 'var(--band)', strokeWidth: 6 }),
    Plot.ruleX(marks, {
      x: ({ date }: { date: string }) => dayOf(date),
      stroke: 'var(--soft)',
      strokeDasharray: '3 3',
    }),
    Plot.lineY(rows, { x: 'day', y: 'score', stroke: 'var(--accent)', strokeWidth: 2, curve: 'linear' }),
    Plot.dot(
      rows.filter(({ isSignificant }) => isSignificant),
      {
        x: 'day',
        y: 'score',
        symbol: 'diamond',
        r: 6,
        fill: 'var(--alert)',
        stroke: 'var(--card)',
      },
    ),
    Plot.dot(
      rows.slice(-1).filter(({ isSignificant }) => !isSignificant),
      { x: 'day', y: 'score', r: 4, fill: 'var(--accent)' },
    ),
    Plot.text(
      rows.filter(({ modelsChanged }) => modelsChanged),
      {
        x: 'day',
        y: 'score',
        text: () => '▼',
        dy: -13,
        fill: 'var(--ink)',
      },
    ),
    Plot.text([last], {
      x: () => dayOf(last.date),
      y: 'score',
      text: ({ score }: ScorePoint) => String(score),
      dx: 9,
      textAnchor: 'start',
      fill: 'var(--ink)',
      fontWeight: 700,
      fontSize: isLarge ? 14 : 12,
    }),
    tip(rows.map((row) => ({ day: row.day, y: row.score, title: scoreInWords(row, until, marks) }))),
  ];
}

/** Shown at the nearest point in time; by the keyboard too, which sends what a pointer sends. */
function tip(rows: { day: Date; y: number; title: string }[]): Plot.Markish {
  return Plot.tip(
    rows,
    Plot.pointerX({
      x: 'day',
      y: 'y',
      title: 'title',
      fill: 'var(--card)',
      stroke: 'var(--line-strong)',
      lineWidth: 16,
    }),
  );
}

function scoreInWords(
  { date, score, bandLow, bandHigh, isSignificant, modelsChanged }: ScorePoint,
  today: string,
  events: ScoresChart['events'],
): string {
  const band =
    bandLow === null
      ? 'no drift band'
      : `drift band ${bandLow} to ${bandHigh} %${isSignificant ? ', outside' : ''}`;
  const near = events.filter((event) => Math.abs(Date.parse(event.date) - Date.parse(date)) < 4 * 86_400_000);
  return [
    dayInWords(date, today),
    `${score} %, ${band}`,
    ...(modelsChanged ? ['the model changed'] : []),
    ...near.map(({ text }) => text),
  ].join('\n');
}

export interface Step {
  day: Date;
  y: number;
  text: string;
}

export function stepsOfScores({ points, until, events }: ScoresChart): Step[] {
  return points.map((point) => ({
    day: dayOf(point.date),
    y: point.score,
    text: scoreInWords(point, until, events),
  }));
}

const rivalColours = [
  'var(--accent)',
  'var(--line-1)',
  'var(--line-2)',
  'var(--line-3)',
  'var(--line-4)',
  'var(--line-5)',
];
const dashes = ['none', 'none', '5 3', '2 2', '8 3 2 3', '1 3'];
const LABEL_HEIGHT = 15;

export function rivals({ lines }: RivalsChart, width: number): Drawing {
  const height = 260;
  const most = Math.min(
    100,
    Math.ceil((Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value))) + 5) / 10) * 10,
  );
  const [marginTop, marginBottom] = [10, 22];
  const labels = apart(
    lines.map(({ name, points }, index) => ({
      name: `${shortened(name, 14)} ${points.at(-1)!.value}`,
      index,
      y: marginTop + (1 - points.at(-1)!.value / most) * (height - marginTop - marginBottom),
    })),
  );
  const drawn = lines.toReversed();
  const index = (line: RivalsChart['lines'][number]) => lines.indexOf(line);
  return plot({
    width,
    height,
    marginLeft: MARGIN_LEFT,
    marginRight: 124,
    marginTop,
    marginBottom,
    x: { type: 'utc', ticks: width > 500 ? 6 : 3, label: null, tickSize: 0 },
    y: { domain: [0, most], ticks: 4, label: null, tickSize: 0 },
    marks: [
      Plot.gridY({ ticks: 4, stroke: 'var(--line)', strokeOpacity: 1 }),
      ...drawn.map((line) =>
        Plot.lineY(line.points, {
          x: ({ date }: { date: string }) => dayOf(date),
          y: 'value',
          stroke: rivalColours[index(line)]!,
          strokeWidth: line.isBrand ? 3 : 1.5,
          strokeDasharray: dashes[index(line)]!,
        }),
      ),
      ...labels.map(({ name, index: at, y }) =>
        Plot.text([name], {
          frameAnchor: 'top-right',
          dx: 8,
          dy: y - marginTop - 6,
          textAnchor: 'start',
          text: (text: string) => text,
          fill: rivalColours[at]!,
          fontWeight: lines[at]!.isBrand ? 700 : 500,
          fontSize: 12,
        }),
      ),
      tip(stepsOfRivals({ lines }).map(({ day, y, text }) => ({ day, y, title: text }))),
    ],
  });
}

/** Moves labels apart that would cover each other, in their order. */
function apart<Label extends { y: number }>(labels: readonly Label[]): Label[] {
  const sorted = labels.toSorted((a, b) => a.y - b.y);
  let free = -Infinity;
  return sorted.map((label) => {
    const y = Math.max(label.y, free);
    free = y + LABEL_HEIGHT;
    return { ...label, y };
  });
}

export function stepsOfRivals({ lines }: Pick<RivalsChart, 'lines'>): Step[] {
  const own = lines.find(({ isBrand }) => isBrand)!;
  const today = own.points.at(-1)!.date;
  return own.points.map(({ date, value }, at) => ({
    day: dayOf(date),
    y: value,
    text: [
      dayInWords(date, today),
      ...lines.map(({ name, points }) => `${shortened(name, 24)} ${points[at]!.value} %`),
    ].join('\n'),
  }));
}
