import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { pageText } from '../docs/pages.ts';
import { temporaryFolders } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { exposedMetrics, parseExposition } from './exposed.ts';
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
    expect(annotations['runbook_url']).toBe(
      `{{ or $externalLabels.sightline_runbook "docs/runbook.md" }}#${alert.toLowerCase()}`,
    );
    const [, section = ''] = pageText('docs/runbook.md').split(`\n## ${alert}\n`);
    const parts = section.split('\n## ')[0]!.match(/(?<=^\*\*)[\w ]+(?=\.?\*\*)/gm);
    expect(parts).toEqual(['Meaning', 'Clients', 'First', 'Over when']);
  });

  test('of the runbook all exist', () => {
    const described = pageText('docs/runbook.md').match(/(?<=^## )Sightline\w+$/gm);
    expect(described).toHaveLength(alerts.length);
    expect(new Set(described)).toEqual(new Set(alerts));
  });
});

describe('metrics of alerts', () => {
  let exposed: Exposed;
  beforeAll(async () => {
    exposed = await exposedMetrics(await newFolder());
  });

  test.each(rules)('$alert uses metrics of a gateway, a job or a verification', ({ expr }) => {
    expect(unknownIn(expr, exposed)).toEqual([]);
  });
});

describe('the comparison with exposed metrics', () => {
  const exposed = parseExposition('# HELP a A.\na_total{kind="x",b="1"} 1\na_total{kind="y"} 2\nc 3\n');
  test.each([
    ['a_total{kind="x",job="j"} + c', []],
    ['d', ['d']],
    ['rate(a_total{kind="z"}[5m])', ['a_total{kind="z"}']],
    ['c{kind="x"}', ['c{kind="x"}']],
    ['sum by (kind, colour) (a_total)', ['by colour']],
  ])('%s', (expr, unknown) => {
    expect(unknownIn(expr, exposed)).toEqual(unknown);
  });

  test('refuses invalid PromQL', () => {
    expect(() => unknownIn('sum(', exposed)).toThrow('no PromQL at 4');
  });
});
