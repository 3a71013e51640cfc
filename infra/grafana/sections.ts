import { GATEWAYS, figure, graph, increase, quantile, rate, requests } from './panels.ts';
import type { Section } from './panels.ts';

const overview: Section = {
  title: 'At a glance',
  panels: [
    figure({
      title: 'Gateways up',
      description: 'Gateways that respond to Prometheus.',
      unit: 'short',
      expr: 'sum(up{job="sightline-gateway"})',
      limits: { orange: 2, red: 1, below: true },
    }),
    figure({
      title: 'Requests',
      description: 'Responses per second, of any status.',
      unit: 'reqps',
      expr: `sum(${rate(requests())})`,
    }),
    figure({
      title: 'Failures',
      description: 'Share of the requests that got a 500.',
      unit: 'percentunit',
      expr: `(sum(${rate(requests(',status=~"5.."'))}) or vector(0)) / sum(${rate(requests())})`,
      limits: { orange: 0.001, red: 0.01 },
    }),
    figure({
      title: 'Oldest snapshot',
      description: 'Age of the oldest snapshot in service; a new one comes every week.',
      unit: 's',
      expr: `max(sightline_snapshot_age_seconds{${GATEWAYS}})`,
      limits: { orange: 7.25 * 86_400, red: 8 * 86_400 },
    }),
    figure({
      title: 'Newest week',
      description: 'How much of it was delivered when the weekly job ran last.',
      unit: 'percent',
      expr: 'min(sightline_weekly_last_run_complete_percent)',
      limits: { orange: 99, red: 95, below: true },
    }),
    figure({
      title: 'Store intact',
      description: '1 where the last verification found nothing wrong.',
      unit: 'short',
      expr: 'min(sightline_verify_intact)',
      limits: { orange: 1, red: 1, below: true },
    }),
  ],
};

const traffic: Section = {
  title: 'Requests',
  panels: [
    graph({
      title: 'By status',
      description: '429: a workspace exceeds its allowance. 500: see Admission and Documents.',
      unit: 'reqps',
      queries: [{ expr: `sum by (status) (${rate(requests())})`, legend: '{{status}}' }],
    }),
    graph({
      title: 'By operation',
      description: 'none: an unknown path or another method.',
      unit: 'reqps',
      queries: [{ expr: `sum by (route) (${rate(requests())})`, legend: '{{route}}' }],
    }),
    graph({
      title: 'Time to answer',
      description: 'From the headers of a request to its response.',
      unit: 's',
      queries: [0.5, 0.99].map((q) => quantile(q, 'sightline_request_seconds')),
    }),
    graph({
      title: 'Time to answer, by operation',
      description: 'The 99th percentile.',
      unit: 's',
      queries: [quantile(0.99, 'sightline_request_seconds', 'route')],
    }),
  ],
};

const admission: Section = {
  title: 'Admission',
  panels: [
    graph({
      title: 'Wait for the records',
      description: 'From the first request of a batch to the response of the records.',
      unit: 's',
      queries: [0.5, 0.99].map((q) => quantile(q, 'sightline_admission_wait_seconds')),
    }),
    graph({
      title: 'Requests and keys in a batch',
      description: 'Means. Larger batches make admission cheaper under load.',
      unit: 'short',
      queries: ['requests', 'keys'].map((what) => {
        const [sum, count] = ['sum', 'count'].map(
          (part) => `sum(${rate(`sightline_admission_batch_${what}_${part}{${GATEWAYS}}`)})`,
        );
        return { expr: `${sum} / ${count}`, legend: what };
      }),
    }),
    graph({
      title: 'Requests that wait',
      description: 'Records: at the time of the scrape. Store: at the last look at the log.',
      unit: 'short',
      queries: [{ expr: `sightline_admission_waiting{${GATEWAYS}}`, legend: '{{instance}}' }],
    }),
    graph({
      title: 'Failures of admission',
      description:
        'Batches without a response from the records, and requests refused because the queue was full.',
      unit: 'short',
      queries: [{ expr: increase('sightline_admission_failures_total'), legend: '{{instance}}' }],
    }),
  ],
};

const documents: Section = {
  title: 'Documents',
  panels: [
    graph({
      title: 'Found in memory',
      description: 'The rest is read from the store.',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum(${rate(`sightline_document_cache_total{${GATEWAYS},outcome="hit"}`)}) / sum(${rate(`sightline_document_cache_total{${GATEWAYS}}`)})`,
          legend: 'hits',
        },
      ],
    }),
    graph({
      title: 'Memory for documents',
      description: 'At most DOCUMENT_CACHE_BYTES.',
      unit: 'bytes',
      queries: [{ expr: `sightline_document_cache_bytes{${GATEWAYS}}`, legend: '{{instance}}' }],
    }),
    graph({
      title: 'Reads of the store',
      description: 'Per second. When nothing is published, only the checkpoint.',
      unit: 'short',
      queries: [
        {
          expr: `sum by (object) (${rate(`sightline_store_reads_total{${GATEWAYS}}`)})`,
          legend: '{{object}}',
        },
      ],
    }),
    graph({
      title: 'Workspaces in use',
      description: 'kept: what is newer cannot be read or trusted; none: the workspace has no snapshot yet.',
      unit: 'short',
      queries: [{ expr: `max by (state) (sightline_workspaces{${GATEWAYS}})`, legend: '{{state}}' }],
    }),
    graph({
      title: 'Snapshots and failures',
      description:
        'New: went into service. Refused: could not be read. Failed: admitted requests with a 500.',
      unit: 'short',
      queries: [
        { expr: `sum(${increase('sightline_snapshot_changes_total')})`, legend: 'new' },
        { expr: `sum(${increase('sightline_snapshot_refusals_total')})`, legend: 'refused' },
        { expr: `sum(${increase('sightline_request_failures_total')})`, legend: 'failed' },
      ],
    }),
  ],
};

const processes: Section = {
  title: 'Processes',
  panels: [
    graph({
      title: 'CPU',
      description: 'Cores. A gateway uses little more than one.',
      unit: 'short',
      queries: [{ expr: rate(`sightline_process_cpu_seconds_total{${GATEWAYS}}`), legend: '{{instance}}' }],
    }),
    graph({
      title: 'Memory',
      description: 'Resident.',
      unit: 'bytes',
      queries: [{ expr: `sightline_process_resident_memory_bytes{${GATEWAYS}}`, legend: '{{instance}}' }],
    }),
    graph({
      title: 'Event loop lag',
      description: 'The 99th percentile of the delay of the event loop.',
      unit: 's',
      queries: [{ expr: `sightline_nodejs_eventloop_lag_p99_seconds{${GATEWAYS}}`, legend: '{{instance}}' }],
    }),
    graph({
      title: 'Garbage collection',
      description: 'Share of the time.',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum by (instance) (${rate(`sightline_nodejs_gc_duration_seconds_sum{${GATEWAYS}}`)})`,
          legend: '{{instance}}',
        },
      ],
    }),
  ],
};

const jobs: Section = {
  title: 'Weekly job and verification',
  panels: [
    graph({
      title: 'Time since the due time of the last completed week',
      description: 'More than seven days and a few hours: the next week is late.',
      unit: 's',
      queries: [
        { expr: 'time() - sightline_weekly_last_success_due_timestamp_seconds', legend: '{{instance}}' },
      ],
    }),
    graph({
      title: 'Duration',
      description: 'Of the last weekly run and the last verification.',
      unit: 's',
      queries: [
        { expr: 'sightline_weekly_last_run_duration_seconds', legend: 'weekly {{instance}}' },
        { expr: 'sightline_verify_last_run_duration_seconds', legend: 'verify {{instance}}' },
      ],
    }),
    graph({
      title: 'Published',
      description: 'By the last successful weekly run.',
      unit: 'short',
      queries: ['workspaces', 'brands', 'documents', 'new_snapshots', 'unchanged_snapshots'].map((what) => ({
        expr: `sightline_weekly_${what}`,
        legend: what.replace('_', ' '),
      })),
    }),
    graph({
      title: 'Refused, orphaned and damaged',
      description: 'Runs that ingest refused, orphaned records, problems of the verification.',
      unit: 'short',
      queries: [
        { expr: 'sightline_weekly_refused_runs', legend: 'refused' },
        { expr: 'sightline_weekly_orphaned', legend: 'orphaned {{kind}}' },
        { expr: 'sightline_verify_problems', legend: 'problems' },
      ],
    }),
  ],
};

/** The sections of the dashboard, from the overview to the details. */
export const sections: readonly Section[] = [overview, traffic, admission, documents, processes, jobs];
