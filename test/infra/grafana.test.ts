import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildDashboard } from '../../infra/grafana/dashboard.ts';
import { sections } from '../../infra/grafana/sections.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { exposedMetrics } from './exposed.ts';
import type { Exposed } from './exposed.ts';
import { parsePromql } from './promql.ts';
import { labelsOf, unknownIn } from './unknown.ts';

const newFolder = temporaryFolders();

const path = join(import.meta.dirname, '../../infra/grafana/sightline.json');
const queries = sections.flatMap(({ panels }) =>
  panels.flatMap(({ title, queries: asked }) =>
    asked.map(({ expr, legend }) => ({
      title,
      legend,
      // Grafana substitutes this variable.
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    })),
  ),
);

interface Placed {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { refId: string; expr: string }[];
}

describe('the dashboard', () => {
  test('is up to date (npm run dashboard)', () => {
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(buildDashboard(), null, 2)}\n`);
  });

  test('has panels that do not overlap, each with a unique id and queries', () => {
    const { panels } = JSON.parse(readFileSync(path, 'utf8')) as { panels: Placed[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
    const charts = panels.filter(({ type }) => type !== 'row');
    expect(charts.flatMap(({ targets }) => targets!)).toHaveLength(queries.length);
    for (const { targets, datasource } of charts) {
      expect(datasource!.uid).toBe('${datasource}'); // oxlint-disable-line no-template-curly-in-string -- Grafana's own
      expect(new Set(targets!.map(({ refId }) => refId)).size).toBe(targets!.length);
    }
  });

  test('has a description of each panel', () => {
    const panels = sections.flatMap((section) => section.panels);
    expect(panels.filter(({ description }) => !description.endsWith('.'))).toEqual([]);
  });
});

describe('queries', () => {
  let exposed: Exposed;
  beforeAll(async () => {
    exposed = await exposedMetrics(await newFolder());
  });

  test.each(queries)('$title: $expr uses existing metrics', ({ expr }) => {
    expect(unknownIn(expr, exposed)).toEqual([]);
  });

  test.each(queries.filter(({ legend }) => legend.includes('{{')))(
    '$title: $legend uses labels of the result',
    ({ expr, legend }) => {
      const { metrics, groupings, isAggregated } = parsePromql(expr);
      const labels = isAggregated ? groupings : labelsOf(metrics[0]!.name, exposed);
      const wanted = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect(labels).toEqual(expect.arrayContaining(wanted));
    },
  );
});

describeWith(['promtool'], 'promtool', () => {
  test('accepts every query', async () => {
    const rules = queries.map(({ expr }, n) => ({ record: `dashboard:${n}`, expr }));
    const file = join(await temporaryFolder(), 'rules.yaml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', file]);
    expect(stdout).toContain(`${queries.length} rules found`);
  });
});
