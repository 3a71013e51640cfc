import { View, parse } from 'vega';
import { compile } from 'vega-lite';
import type { TopLevelSpec } from 'vega-lite';
import { markup, trusted } from '../html/html.ts';
import type { Html } from '../html/html.ts';

/** A chart with its text alternative. */
export interface Chart {
  spec: TopLevelSpec;
  title: string;
  /** What it shows, in a sentence or two, for screen readers. */
  description: string;
}

/** Colours are the page's CSS variables, so that charts follow its dark mode and its print style. */
const config = {
  background: 'transparent',
  aria: false, // one labelled image; its numbers are in a table
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: 'var(--soft)',
    titleColor: 'var(--soft)',
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: 'normal',
    domainColor: 'var(--line)',
    tickColor: 'var(--line)',
    gridColor: 'var(--line)',
    gridOpacity: 0.6,
  },
} as const;

/** Draws a chart as static SVG, without a browser; the same chart gives the same bytes. */
export async function drawChart({ spec, title, description }: Chart): Promise<Html> {
  const view = new View(parse(compile({ ...spec, config }).spec), { renderer: 'none' });
  try {
    const svg = await view.toSVG();
    const [, viewBox, drawing] = /^<svg[^>]* viewBox="([\d. -]+)"[^>]*>(.*)<\/svg>\s*$/s.exec(svg) ?? [];
    if (viewBox === undefined || drawing === undefined) throw new Error('the plotting library drew no SVG');
    const [, , width = '', height = ''] = viewBox.split(' ');
    return markup`<svg role="img" width="${width}" height="${height}" viewBox="${viewBox}">
      <title>${title}</title>
      <desc>${description}</desc>
      <g aria-hidden="true">${trusted(drawing)}</g>
    </svg>`;
  } finally {
    view.finalize();
  }
}
