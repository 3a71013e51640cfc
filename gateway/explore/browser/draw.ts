import type { Chart } from '../pages/parts.ts';
import { bars, shares } from './draw-rows.ts';
import { rivals, scores, stepsOfRivals, stepsOfScores } from './draw-time.ts';
import type { Step } from './draw-time.ts';
import type { Drawing } from './plot.ts';

/**
 * Draws charts with Observable Plot as SVG. Colours are variables of the style sheet, so that they follow dark mode and
 * print. Charts over time can be read with the arrow keys.
 */

/** Draws charts in their places. All places are measured first: each drawing would make the browser lay out the page again. */
export function drawAll(charts: readonly { place: HTMLElement; chart: Chart }[]): void {
  const measured = charts.map((each) => ({ ...each, width: Math.max(280, each.place.clientWidth) }));
  for (const { place, chart, width } of measured) draw(place, chart, width);
}

/** Replaces the place of the chart by a new one, which has none of the keys of the chart before. */
function draw(former: HTMLElement, chart: Chart, width: number): void {
  const place = former.cloneNode(false) as HTMLElement;
  former.replaceWith(place);
  if (chart.kind === 'scores')
    return readable(place, chart.title, scores(chart, width), stepsOfScores(chart));
  if (chart.kind === 'rivals')
    return readable(place, chart.title, rivals(chart, width), stepsOfRivals(chart));
  const svg = chart.kind === 'shares' ? shares(chart, width) : bars(chart, width);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', chart.title);
  place.replaceChildren(svg);
}

/** Makes a chart over time one control: its arrow keys go from week to week, and a screen reader says the numbers. */
function readable(place: HTMLElement, title: string, svg: Drawing, steps: readonly Step[]): void {
  let at = steps.length - 1;
  svg.setAttribute('aria-hidden', 'true');
  place.replaceChildren(svg);
  const describe = () => {
    const values = {
      label: title,
      valuemin: 0,
      valuemax: steps.length - 1,
      valuenow: at,
      valuetext: steps[at]!.text.replaceAll('\n', ', '),
    };
    for (const [name, value] of Object.entries(values)) place.setAttribute(`aria-${name}`, String(value));
  };
  place.setAttribute('role', 'slider');
  place.tabIndex = 0;
  describe();
  const point = (type: string) => {
    const { day, y } = steps[at]!;
    const box = svg.getBoundingClientRect();
    const clientX = box.left + Number(svg.scale('x')!.apply(day));
    const clientY = box.top + Number(svg.scale('y')!.apply(y));
    svg.dispatchEvent(new PointerEvent(type, { clientX, clientY, pointerType: 'mouse', bubbles: true }));
  };
  place.addEventListener('keydown', (event) => {
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: steps.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    at = Math.min(steps.length - 1, Math.max(0, to));
    describe();
    point('pointermove');
  });
  place.addEventListener('blur', () => point('pointerleave'));
}
