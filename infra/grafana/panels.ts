/** A query to Prometheus, and the legend of its lines. */
export interface Query {
  expr: string;
  legend: string;
}

export interface Panel {
  title: string;
  /** How to read the panel. */
  description: string;
  kind: 'figure' | 'graph';
  /** Grafana's name of the unit. */
  unit: string;
  queries: Query[];
  /** The values at which it turns orange and red; with `below`, small values are bad. */
  limits?: { orange: number; red: number; below?: true };
}

export interface Section {
  title: string;
  panels: Panel[];
}

/** Selects the gateways that are chosen at the top of the dashboard. */
export const GATEWAYS = 'instance=~"$instance"';
export const requests = (matchers = '') => `sightline_requests_total{${GATEWAYS}${matchers}}`;
export const rate = (selector: string) => `rate(${selector}[$__rate_interval])`;
export const increase = (name: string) => `increase(${name}{${GATEWAYS}}[$__rate_interval])`;

export function quantile(q: number, histogram: string, by = ''): Query {
  const buckets = rate(`${histogram}_bucket{${GATEWAYS}}`);
  return {
    expr: `histogram_quantile(${q}, sum by (le${by === '' ? '' : `, ${by}`}) (${buckets}))`,
    legend: `p${q * 100}${by === '' ? '' : ` {{${by}}}`}`,
  };
}

export const figure = (panel: Omit<Panel, 'kind' | 'queries'> & { expr: string }): Panel => {
  const { expr, ...rest } = panel;
  return { kind: 'figure', ...rest, queries: [{ expr, legend: '' }] };
};
export const graph = (panel: Omit<Panel, 'kind'>): Panel => ({ kind: 'graph', ...panel });
