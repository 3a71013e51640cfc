import * as Plot from '@observablehq/plot';

export type Drawing = (SVGSVGElement | HTMLElement) & Plot.Plot;

/** A plot without its own style element, which the policy of the page forbids; page.css has those rules. */
export function plot(options: Plot.PlotOptions): Drawing {
  const svg = Plot.plot({
    ...options,
    style: { fontSize: '11px', background: 'transparent', color: 'var(--soft)', overflow: 'visible' },
  });
  for (const style of svg.querySelectorAll('style')) style.remove();
  // Its names of marks, such as "rule", say nothing to a reader.
  for (const mark of svg.querySelectorAll('[aria-label]')) mark.removeAttribute('aria-label');
  return svg;
}

const segmenter = new Intl.Segmenter('en');

export function shortened(name: string, length: number): string {
  const graphemes = Array.from(segmenter.segment(name), ({ segment }) => segment);
  return graphemes.length > length ? `${graphemes.slice(0, length - 1).join('')}…` : name;
}
