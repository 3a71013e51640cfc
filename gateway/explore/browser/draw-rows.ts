import * as Plot from '@observablehq/plot';
import type { BarsChart, SharesChart } from '../pages/parts.ts';
import { plot, shortened } from './plot.ts';
import type { Drawing } from './plot.ts';

/** Room for a name; the table has the whole name. */
const NAMES = 150;

export function shares({ rows }: SharesChart, width: number): Drawing {
  const most = Math.min(100, Math.ceil((Math.max(...rows.map(({ high }) => high)) + 1) / 10) * 10);
  const named = rows.map((row, index) => ({
    ...row,
    key: `${index}`,
    words: `${row.name}\n${row.value} %, 95 % interval ${row.low} to ${row.high} %`,
  }));
  return plot({
    width,
    height: rows.length * 24 + 34,
    marginLeft: NAMES,
    marginRight: 40,
    marginTop: 4,
    x: { domain: [0, most], ticks: 4, label: null, tickSize: 0, tickFormat: (value: number) => `${value} %` },
    y: { type: 'band', domain: named.map(({ key }) => key), label: null, axis: null },
    marks: [
      Plot.gridX({ ticks: 4, stroke: 'var(--line)', strokeOpacity: 1 }),
      Plot.ruleY(named, {
        y: 'key',
        x1: 'low',
        x2: 'high',
        stroke: colour,
        strokeWidth: 4,
        strokeOpacity: 0.4,
        strokeLinecap: 'round',
      }),
      Plot.dot(named, { y: 'key', x: 'value', r: 5, fill: colour }),
      Plot.text(named, {
        y: 'key',
        x: 'high',
        dx: 8,
        textAnchor: 'start',
        text: ({ value }: { value: number }) => String(value),
        fill: 'var(--ink)',
      }),
      ...nameMarks(named, ({ isBrand }) => isBrand),
      Plot.tip(
        named,
        Plot.pointerY({
          y: 'key',
          x: 'value',
          title: 'words',
          fill: 'var(--card)',
          stroke: 'var(--line-strong)',
          lineWidth: 24,
        }),
      ),
    ],
  });
}

const colour = ({ isBrand }: { isBrand: boolean }) => (isBrand ? 'var(--accent)' : 'var(--other)');

function nameMarks<Row extends { key: string; name: string }>(
  rows: Row[],
  isOwn: (row: Row) => boolean,
): Plot.Markish[] {
  return [true, false].map((own) =>
    Plot.text(
      rows.filter((row) => isOwn(row) === own),
      {
        y: 'key',
        frameAnchor: 'left',
        dx: -10,
        textAnchor: 'end',
        text: ({ name }: Row) => shortened(name, 22),
        fill: 'var(--ink)',
        fontSize: 12,
        fontWeight: own ? 700 : 400,
      },
    ),
  );
}

export function bars({ rows }: BarsChart, width: number): Drawing {
  const named = rows.map((row, index) => ({ ...row, key: `${index}` }));
  const low = Math.min(0, ...rows.map(({ value }) => value));
  return plot({
    width,
    height: rows.length * 22 + 8,
    marginLeft: NAMES + 20,
    marginRight: 40,
    marginTop: 4,
    marginBottom: 4,
    x: {
      domain: [low, Math.max(1, ...rows.map(({ value }) => value))],
      axis: null,
      insetLeft: low < 0 ? 24 : 0,
    },
    y: { type: 'band', domain: named.map(({ key }) => key), axis: null, padding: 0.3 },
    marks: [
      Plot.barX(named, {
        y: 'key',
        x: 'value',
        rx: 2,
        fill: ({ isOwn }: { isOwn: boolean }) => (isOwn ? 'var(--accent)' : 'var(--bar)'),
      }),
      Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
      ...[true, false].map((isBelow) =>
        Plot.text(
          named.filter(({ value }) => value < 0 === isBelow),
          {
            y: 'key',
            x: 'value',
            dx: isBelow ? -5 : 5,
            textAnchor: isBelow ? 'end' : 'start',
            text: ({ value }: { value: number }) => String(value),
            fill: 'var(--ink)',
          },
        ),
      ),
      ...nameMarks(named, ({ isOwn }) => isOwn),
    ],
  });
}
