/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, textList } from '../../../jobs/duckdb.ts';
import { computeWorkspaces } from '../../../jobs/weekly/compute.ts';
import type { Week } from '../../../jobs/weekly/week.ts';
import { sourceTypes } from '../../../lib/methodology/constants.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { filesBelow } from '../lake.ts';
import { statementsOf } from '../scripts.ts';
import { lakeOfManyBrands, weekOf } from './many-brands.ts';

/* The week is computed as one slice; its tables are still there when the tests look at them. */
const newFolder = temporaryFolders();
let lake: string;
let week: Week;
let documents = 0;

beforeAll(async () => {
  lake = await lakeOfManyBrands(await newFolder());
  week = await weekOf(lake, 1 << 30);
  const { snapshots } = await computeWorkspaces(week, [...week.tracked.keys()]);
  for await (const result of snapshots) {
    if ('error' in result) throw result.error;
    documents += result.publication.documents.length;
  }
});
afterAll(async () => await week[Symbol.asyncDispose]());

/** A node of a plan, as `explain (format json)` prints it. */
interface PlanNode {
  name: string;
  extra_info: { Conditions?: string | string[]; Table?: string; Filters?: string | string[] };
  children: PlanNode[];
}

const parameters = {
  first_brand: 1,
  last_brand: 150,
  first_place: 0n,
  last_place: 2n ** 48n,
  cycles: 6,
  slices: 1,
  since: BigInt(Date.parse('2026-11-02T06:00:00Z')) * 1000n,
  week_since: BigInt(Date.parse('2026-11-06T06:00:00Z')) * 1000n,
  used_since: BigInt(Date.parse('2026-09-17T06:00:00Z')) * 1000n,
  newest: '2026-11-16',
  date: '2026-11-16',
  web_grounded: textList(['perplexity']),
  source_types: textList(sourceTypes),
  sources_size: 20,
  core_size: 5,
  min_cycles: 4,
  trend_size: 120,
  band_scores: 13,
  timeline_size: 104,
  before: '2026-11-06',
  common: 360_360n,
};

/** The plans of the queries of the weekly job, by script. */
async function plansOf(): Promise<{ script: string; plan: PlanNode }[]> {
  const plans = [];
  for (const script of projectFiles().filter((path) => /^jobs\/weekly\/.*\.sql$/.test(path)))
    for (const statement of statementsOf(textOf(script))) {
      if (/^(?:set variable|create or replace view)\b/.test(statement)) continue;
      const sql = `explain (format json) ${statement}`;
      const [row] = await rowsOf<{ explain_value: string }>(week.connection, sql, parameters);
      for (const plan of JSON.parse(row!.explain_value) as PlanNode[]) plans.push({ script, plan });
    }
  return plans;
}

function* nodesIn(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.children) yield* nodesIn(child);
}

/** Columns that are of one brand, workspace or object of the lake. */
const OF_ONE =
  /\b(?:rowid|brand_no|brand_id|series_no|prompt_no|prompt_id|run_no|entity_no|workspace_id|object|id)\b/;
/** Small tables with one row for each value that they are joined by. */
const SMALL = /\b(?:cycle|share|escaped)"?$/;

/** An uncorrelated subquery has one row; so has the table of its error. */
const isOneRow = (node: PlanNode): boolean =>
  node.name === 'UNGROUPED_AGGREGATE' ||
  (['PROJECTION', 'CROSS_PRODUCT', 'FILTER'].includes(node.name) && node.children.every(isOneRow));
/** Events of no workspace are shown for every brand. */
const isCommonEvent = (node: PlanNode) => /\bevent\b.*workspace_id IS NULL/.test(JSON.stringify(node));

function isBounded(join: PlanNode): boolean {
  const conditions = [join.extra_info.Conditions ?? []].flat();
  return (
    conditions.some((condition) => OF_ONE.test(condition) && !/[<>]/.test(condition)) ||
    join.children.some((child) => SMALL.test(child.extra_info.Table ?? '')) ||
    join.children.some(isOneRow) ||
    join.children.some(isCommonEvent)
  );
}

test('every join is by brand, series or another key of theirs: no query is quadratic', async () => {
  expect(documents).toBe(15 * 13 + 150 * 7);
  const joins = (await plansOf()).flatMap(({ script, plan }) =>
    [...nodesIn(plan)].filter(({ name }) => /JOIN|PRODUCT/.test(name)).map((join) => ({ script, join })),
  );
  expect(joins.length).toBeGreaterThan(50);
  const unbounded = joins.filter(({ join }) => !isBounded(join));
  expect(unbounded.map(({ script, join }) => `${script}: ${JSON.stringify(join.extra_info)}`)).toEqual([]);
});

test('a slice reads its row groups alone: runs are sorted by place, and the scans are limited to a range of it', async () => {
  const scans = (await plansOf())
    .filter(({ script }) => script.includes('/slices/'))
    .flatMap(({ plan }) => [...nodesIn(plan)].filter(({ name }) => name.includes('PARQUET')));
  const limited = scans.filter(({ extra_info: { Filters } }) =>
    [Filters].flat().some((f) => f?.includes('place>=')),
  );
  expect(limited).toHaveLength(scans.length);
  expect(scans.length).toBeGreaterThan(4);
  const object = (await filesBelow(lake)).find((path) => path.includes('/runs/'))!;
  const groups = await rowsOf<{ low: bigint; high: bigint }>(
    week.connection,
    `select stats_min_value::bigint as low, stats_max_value::bigint as high
     from parquet_metadata('${object}') where path_in_schema = 'place' order by row_group_id`,
  );
  expect(groups.length).toBeGreaterThan(1);
  for (const [index, { low }] of groups.entries())
    expect(low).toBeGreaterThanOrEqual(groups[index - 1]?.high ?? 0n);
});
