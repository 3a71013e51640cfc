import type { Exposed } from './exposed.ts';
import { parsePromql } from './promql.ts';
import type { Matcher } from './promql.ts';

/** The labels that Prometheus adds to each series. */
const ADDED = ['job', 'instance'];

/** The metrics of Prometheus, node_exporter and kube-state-metrics that we use, with their labels. */
const ofOthers: Record<string, string[]> = {
  up: [],
  node_textfile_mtime_seconds: ['file'],
  kube_job_failed: ['namespace', 'job_name', 'condition'],
  kube_job_created: ['namespace', 'job_name'],
  kube_cronjob_created: ['namespace', 'cronjob'],
  kube_cronjob_status_last_successful_time: ['namespace', 'cronjob'],
};

/** Metrics, labels and values of an expression that are not exposed. */
export function unknownIn(expr: string, exposed: Exposed): string[] {
  const { metrics, groupings } = parsePromql(expr);
  const known = new Set(metrics.flatMap(({ name }) => labelsOf(name, exposed) ?? []));
  return [
    ...metrics.flatMap(({ name, matchers }) => {
      const labels = labelsOf(name, exposed);
      if (labels === null) return [name];
      return matchers
        .filter((matcher) => !labels.includes(matcher.label) || !hasValue(name, matcher, exposed))
        .map(({ label, operator, value }) => `${name}{${label}${operator}"${value}"}`);
    }),
    ...groupings.filter((label) => !known.has(label)).map((label) => `by ${label}`),
  ];
}

/** The labels of a metric; null if it is not exposed. */
export function labelsOf(name: string, exposed: Exposed): string[] | null {
  const own = ofOthers[name] ?? exposed.get(name)?.flatMap((labels) => Object.keys(labels));
  return own === undefined ? null : [...own, ...ADDED];
}

function hasValue(name: string, { label, operator, value }: Matcher, exposed: Exposed): boolean {
  if (operator !== '=' || ADDED.includes(label) || name in ofOthers) return true;
  return exposed.get(name)!.some((labels) => labels[label] === value);
}
