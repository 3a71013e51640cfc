import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gapChart, intervalChart, lineChart, sparkline } from '../../../../gateway/explore/pages/charts.ts';
import type { LinePoint } from '../../../../gateway/explore/pages/charts.ts';
import { markup } from '../../../../gateway/explore/pages/markup.ts';

const labels = { title: 'A <chart>', description: 'It shows “this” & that.' };
const percent = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10);
const day = (index: number) => new Date(Date.UTC(2026, 0, 5 + 7 * index)).toISOString().slice(0, 10);

const points = fc
  .array(
    fc.record({
      score: percent,
      band: fc.option(fc.tuple(percent, percent)),
      isSignificant: fc.boolean(),
      modelsChanged: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((weeks) =>
    weeks.map(({ score, band, isSignificant, modelsChanged }, index): LinePoint => ({
      date: day(index),
      score,
      bandLow: band === null ? null : Math.min(...band),
      bandHigh: band === null ? null : Math.max(...band),
      isSignificant,
      modelsChanged,
    })),
  );

/** The week on screen: some weeks after the last score, or that of it. */
const untils = fc.integer({ min: 30, max: 60 }).map((index) => `${day(index)}T06:00:00.000Z`);

/** Every coordinate of a drawing, in the order of the text. */
function coordinates(text: string): number[] {
  const drawn = /<g aria-hidden="true">(.*)<\/g>/s.exec(text)![1]!;
  return [...drawn.matchAll(/(?:x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"]*)"/g)].map(([, value]) =>
    Number(value),
  );
}

describe('every chart', () => {
  test('has a title, a description, and only finite coordinates inside of its frame', () => {
    fc.assert(
      fc.property(
        points,
        fc.array(percent, { minLength: 1, maxLength: 30 }),
        untils,
        (weeks, values, until) => {
          const rows = values.map((value, index) => ({
            name: `name ${index}`,
            low: value / 2,
            value,
            high: (value + 100) / 2,
            isBrand: index === 0,
          }));
          const gaps = values.map((value, index) => ({
            name: `domain ${index}`,
            gap: Math.round(value) - 50,
            isOwn: index === 0,
          }));
          const all = [
            lineChart(labels, weeks, [{ date: weeks[0]!.date, text: 'an event' }], until),
            sparkline(
              labels,
              values.map((value, index) => ({ date: day(index), value })),
              until,
            ),
            intervalChart(labels, rows),
            gapChart(labels, gaps),
          ].map(({ text }) => text);
          for (const text of all) {
            expect(text).toContain('<title>A &lt;chart&gt;</title>');
            expect(text).toContain('<desc>It shows “this” &amp; that.</desc>');
            expect(text).not.toMatch(/NaN|Infinity|undefined/);
            const width = Number(/ width="(\d+)"/.exec(text)![1]);
            const height = Number(/ height="(\d+)"/.exec(text)![1]);
            const [low, high] = [Math.min(...coordinates(text)), Math.max(...coordinates(text))];
            expect(low).toBeGreaterThanOrEqual(-6);
            expect(high).toBeLessThanOrEqual(Math.max(width, height) + 6);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('marks scores outside the band, changes of the model, and events', () => {
    const week = { score: 50, bandLow: 20, bandHigh: 60, isSignificant: false, modelsChanged: false };
    const weeks = [
      { ...week, date: day(0) },
      { ...week, date: day(1), modelsChanged: true },
      { ...week, date: day(2), bandLow: null, bandHigh: null },
      { ...week, date: day(3), score: 0, isSignificant: true },
    ];
    const { text } = lineChart(
      labels,
      weeks,
      [
        { date: day(1), text: '<b>new</b>' },
        { date: '2020-01-01', text: 'long ago' },
      ],
      `${day(3)}T06:00:00.000Z`,
    );
    expect(text.match(/class="outside"/g)).toHaveLength(1);
    expect(text.match(/class="model"/g)).toHaveLength(1);
    expect(text.match(/class="event"/g)).toHaveLength(1);
    expect(text.match(/<polygon class="band"/g)).toHaveLength(1); // two weeks in a row
    expect(text.match(/<rect class="band"/g)).toHaveLength(1); // one week alone
    expect(text).toContain('&lt;b&gt;new&lt;/b&gt;');
  });
});

test('a chart of scores ends at the week on screen, not at an older last score', () => {
  const week = { score: 50, bandLow: null, bandHigh: null, isSignificant: false, modelsChanged: false };
  const weeks = [0, 1, 2].map((index) => ({ ...week, date: day(index) }));
  const lastX = (until: string) => {
    const { text } = lineChart(labels, weeks, [], until);
    return Number(/<circle class="dot" cx="([^"]*)"/.exec(text)![1]);
  };
  expect(lastX(`${day(4)}T06:00:00.000Z`)).toBeLessThan(lastX(`${day(2)}T06:00:00.000Z`));
  expect(lineChart(labels, weeks, [], `${day(4)}T06:00:00.000Z`).text).toContain('>2 Feb<');
  const values = weeks.map(({ date, score }) => ({ date, value: score }));
  const lines = [2, 4].map((index) => sparkline(labels, values, `${day(index)}T06:00:00.000Z`).text);
  expect(lines[0]).toContain('92,');
  expect(lines[1]).not.toContain('92,');
});

test('interpolated text cannot become markup, and control characters become blanks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const { text } = markup`<p title="${name}">${name}</p>`;
      const inside = text.slice('<p title="'.length, -'</p>'.length);
      expect(inside.replace('">', '')).not.toMatch(/[<>"'\u202a-\u202e\u2066-\u2069]|(?![\t\n])\p{Cc}/u);
    }),
  );
  expect(markup`${[markup`<b>${'&'}</b>`, markup`${null}${0}`]}`.text).toBe('<b>&amp;</b>0');
});
