import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { pageText } from '../docs/pages.ts';
import { temporaryFolders } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { exposedMetrics } from './exposed.ts';
import type { Exposed } from './exposed.ts';
import { unknownIn } from './unknown.ts';

const newFolder = temporaryFolders();

const folder = join(import.meta.dirname, '../../infra/prometheus');
const samples = ['prometheus.yaml', 'prometheus-kubernetes.yaml'];
const filesOf = (part: string) => readdirSync(join(folder, part)).map((name) => `${part}/${name}`);
const read = (path: string): unknown => parse(readFileSync(join(folder, path), 'utf8'));

interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
const rules = filesOf('rules').flatMap((path) =>
  (read(path) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
);
/** The runbook; the alerts of CronJobs are on the page on Kubernetes. */
const described = pageText('docs/runbook.md') + pageText('docs/kubernetes.md');
const alerts = rules.map(({ alert }) => alert);

/** Runs promtool in the folder of the files; its output explains failures. */
async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('promtool', args, { cwd: folder });
  return stdout;
}

describeWith(['promtool'], 'promtool', () => {
  test.each(filesOf('rules'))('accepts %s', async (path) => {
    expect(await promtool('check', 'rules', path)).toMatch(/SUCCESS: \d+ rules found/);
  });

  test.each(filesOf('tests'))('runs %s', async (path) => {
    expect(await promtool('test', 'rules', path)).toContain('SUCCESS');
  });

  test.each(samples)('accepts %s', async (path) => {
    expect(await promtool('check', 'config', path)).toContain('is valid prometheus config file syntax');
  });
});

test('each file of rules is in a sample configuration, and has tests', () => {
  const loaded = samples.flatMap((path) => (read(path) as { rule_files: string[] }).rule_files);
  expect(new Set(loaded)).toEqual(new Set(filesOf('rules')));
  const tested = filesOf('tests').flatMap((path) => (read(path) as { rule_files: string[] }).rule_files);
  expect(tested).toEqual(filesOf('rules').map((path) => `../${path}`));
});

describe('alerts', () => {
  interface AlertTest {
    alertname: string;
    exp_alerts?: unknown[];
  }
  const checks = filesOf('tests').flatMap((path) =>
    (read(path) as { tests: { alert_rule_test: AlertTest[] }[] }).tests.flatMap(
      ({ alert_rule_test }) => alert_rule_test,
    ),
  );

  test('have unique names', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(new Set(alerts).size).toBe(alerts.length);
  });

  test.each(alerts)('%s has tests in which it fires, and in which it does not', (name) => {
    const mine = checks.filter(({ alertname }) => alertname === name);
    expect(new Set(mine.map(({ exp_alerts = [] }) => exp_alerts.length > 0))).toEqual(new Set([true, false]));
  });

  test.each(rules)('$alert has a summary, a severity and a link to the runbook', (rule) => {
    const { alert, labels, annotations } = rule;
    expect(['critical', 'warning']).toContain(labels['severity']);
    expect(annotations['summary']).toMatch(/\w/);
    expect(annotations['description']).toMatch(/\.$/);
    const page = pageText('docs/runbook.md').includes(`\n## ${alert}\n`) ? 'runbook' : 'kubernetes';
    expect(annotations['runbook_url']).toBe(
      `{{ or $externalLabels.sightline_${page} "docs/${page}.md" }}#${alert.toLowerCase()}`,
    );
    const [, section = ''] = described.split(`# ${alert}\n`);
    const parts = section.split('\n##')[0]!.match(/(?<=^\*\*)[\w ]+(?=\.?\*\*)/gm);
    expect(parts).toEqual(['Meaning', 'Clients', 'First', 'Over when']);
  });

  test('of the runbook all exist', () => {
    const headings = described.match(/(?<=^##+ )Sightline\w+$/gm);
    expect(headings!.toSorted()).toEqual(alerts.toSorted());
  });
});

describe('metrics', () => {
  const board = readFileSync(join(folder, '../grafana/sightline.json'), 'utf8');
  const { panels } = JSON.parse(board) as { panels: { title: string; targets?: { expr: string }[] }[] };
  const shown = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ alert: title, expr })),
  );
  let exposed: Exposed;
  beforeAll(async () => {
    exposed = await exposedMetrics(await newFolder());
  });

  test.each([...rules, ...shown])(
    '$alert uses metrics that a gateway, a job or a verification has',
    ({ expr }) => {
      expect(shown.length).toBeGreaterThan(20);
      expect(unknownIn(expr, exposed)).toEqual([]);
    },
  );

  test.each([
    ['sightline_a', ['sightline_a']],
    ['up{kind="x"}', ['up{kind="x"}']],
    ['sum by (colour) (up)', ['colour']],
    ['sightline_verify_problems{kind="none"}', ['sightline_verify_problems{kind="none"}']],
  ])('%s would be noticed', (expr, unknown) => {
    expect(unknownIn(expr, exposed)).toEqual(unknown);
  });

  describeWith(['promtool'], 'of the dashboard', () => {
    test('are asked for in PromQL', async () => {
      const queries = shown.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
      const recorded = queries.map((expr, n) => ({ record: `dashboard:${n}`, expr }));
      const file = join(await newFolder(), 'rules.yaml');
      await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
      expect(await promtool('check', 'rules', file)).toContain(`${queries.length} rules found`);
    });
  });
});
