import type { Exposed } from './exposed.ts';

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

/** Metrics, labels and values of a PromQL expression that are not exposed. That it is PromQL, promtool checks. */
export function unknownIn(expr: string, exposed: Exposed): string[] {
  const metrics = [...expr.matchAll(/\b(up|(?:sightline|kube|node)_\w+)(?:\{(.*?)\})?/g)];
  const known = new Set(metrics.flatMap(([, name]) => labelsOf(name!, exposed)));
  const groupings = [...expr.matchAll(/\b(?:by|without|on|ignoring) ?\((.*?)\)/g)];
  return [
    ...metrics.flatMap(([, name = '', matchers = '']) => [
      ...(name in ofOthers || exposed.has(name) ? [] : [name]),
      ...[...matchers.matchAll(/(\w+)(=~|!~|!=|=)"(.*?)"/g)]
        .filter(([, label, operator, value]) => !hasLabel(name, label!, operator!, value!, exposed))
        .map(([text]) => `${name}{${text}}`),
    ]),
    ...groupings
      .flatMap(([, labels]) => labels!.split(/, */))
      .filter((label) => label !== '' && !known.has(label)),
  ];
}

function labelsOf(name: string, exposed: Exposed): string[] {
  return [...(ofOthers[name] ?? exposed.get(name)?.flatMap((labels) => Object.keys(labels)) ?? []), ...ADDED];
}

function hasLabel(name: string, label: string, operator: string, value: string, exposed: Exposed): boolean {
  if (!labelsOf(name, exposed).includes(label)) return false;
  if (operator !== '=' || ADDED.includes(label) || name in ofOthers) return true;
  return exposed.get(name)!.some((labels) => labels[label] === value);
}
