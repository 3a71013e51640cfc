/** @module-tag slow */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOf, textList } from '../../../jobs/duckdb.ts';
import { computeWorkspaces } from '../../../jobs/weekly/compute.ts';
import type { Week } from '../../../jobs/weekly/week.ts';
import { sourceTypes } from '../../../lib/methodology/constants.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { filesBelow } from '../lake.ts';
import { foundIn, statementsOf } from '../scripts.ts';
import { lakeOfManyBrands, weekOf } from './many-brands.ts';

/* The week is computed as one slice; its tables are still there when the tests look at them. */
const newFolder = temporaryFolders();
let lake: string;
let week: Week;
let documentsMade: number;

beforeAll(async () => {
  lake = await lakeOfManyBrands(await newFolder());
  week = await weekOf(lake, 1 << 30);
  const { snapshots } = await computeWorkspaces(week, [...week.tracked.keys()]);
  const documents = await Array.fromAsync(snapshots, (result) => {
    if ('error' in result) throw result.error;
    return result.publication.documents.length;
  });
  documentsMade = documents.reduce((sum, count) => sum + count, 0);
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
  const joins = (await plansOf()).flatMap(({ script, plan }) =>
    [...nodesIn(plan)].filter(({ name }) => /JOIN|PRODUCT/.test(name)).map((join) => ({ script, join })),
  );
  expect(joins.length).toBeGreaterThan(50);
  const unbounded = joins.filter(({ join }) => !isBounded(join));
  expect(unbounded.map(({ script, join }) => `${script}: ${JSON.stringify(join.extra_info)}`)).toEqual([]);
});

test('a join by the cycle alone is found', async () => {
  const sql = `explain (format json)
    select count(*) from answered inner join (select distinct brand_no, cycle_date from score) using (cycle_date)`;
  const [row] = await rowsOf<{ explain_value: string }>(week.connection, sql);
  const nodes = (JSON.parse(row!.explain_value) as PlanNode[]).flatMap((plan) => [...nodesIn(plan)]);
  expect(nodes.filter(({ name }) => name.includes('JOIN')).map(isBounded)).toEqual([false]);
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

/** By what is wrong with a table: the script that makes it, and a query of the rows that are wrong. */
const assertions: Record<string, [script: string, sql: string]> = {
  'brands are numbered': [
    'inputs/published',
    'from brand qualify row_number() over (order by id) is null or count(*) over (partition by brand_no) > 1',
  ],
  'a brand is in an object, on an engine, once': [
    'inputs/run-brand',
    duplicates('run_brand', 'object, brand_id, engine'),
  ],
  'a brand ran on an engine in a cycle once': [
    'slices/ran',
    duplicates('ran', 'brand_id, engine, cycle_date'),
  ],
  'a series has a cycle once': [
    'slices/series',
    duplicates('answered', 'brand_no, prompt_id, engine, cycle_no'),
  ],
  'a series is there once': ['slices/series', duplicates('series', 'brand_no, prompt_id, engine')],
  'a series has its newest cycle': ['slices/series', 'from series where get_bit(cycles, newest - 1) = 0'],
  'a series has at most two results': ['slices/series', 'from result where age not in (1, 2)'],
  'an answer is evidence once': ['slices/series', duplicates('evidence', 'series_no, id')],
  'no more prompts are named than answered, and answered than answers are there': [
    'slices/series',
    'from score where named > answered or answered > answers',
  ],
  'a mention is of cycles of its series': [
    'slices/series',
    'from mentioned inner join series using (series_no) where bit_count(mentioned.cycles & series.cycles) < bit_count(mentioned.cycles) or mentioned.entries < bit_count(mentioned.cycles)',
  ],
  'a text of a series is there once': [
    'slices/series',
    duplicates('mentioned', 'series_no, subject, competitor_id, name'),
  ],
  'a text stands for one name': [
    'documents/stability/names',
    duplicates('identified', 'brand_no, subject, competitor_id, name'),
  ],
  'no name is in more cycles than were observed': [
    'documents/stability/names',
    'from series_name inner join observed_series using (series_no) where cycles not between 1 and observed',
  ],
  'the brand is one name of a series': [
    'documents/stability/names',
    duplicates('(from series_name where is_brand)', 'series_no'),
  ],
  'a share is between 0 and 1': [
    'documents/stability/stability.ts',
    'from share where share::double not between 0 and 1',
  ],
  'an engine is in use once, and answered no more runs than it had': [
    'slices/window',
    'select brand_no, engine from engine_use group by all having count(*) > 1 or max(answered) > max(runs)',
  ],
  'a cycle of an engine is in the timeline once': [
    'documents/timeline/timeline-cycle',
    duplicates('timeline_cycle', 'brand_no, engine, cycle_no'),
  ],
  'a score is shown once': [
    'documents/visibility/engine-score',
    duplicates('engine_score', 'brand_no, engine, cycle_date'),
  ],
  'a mention of the window is in an answer of it': [
    'slices/window',
    "from window_mention anti join (from window_run where status = 'success') using (run_no)",
  ],
  'no more is delivered than expected': [
    'checks/completeness',
    'from completeness where delivered > expected',
  ],
};

function duplicates(relation: string, key: string): string {
  return `select ${key} from ${relation} group by all having count(*) > 1`;
}

test.each(Object.entries(assertions))('%s', async (_, [script, sql]) => {
  expect({ script, wrong: await rowsOf(week.connection, sql) }).toEqual({ script, wrong: [] });
});

test('the tables that are looked at have rows', async () => {
  expect(documentsMade).toBe(15 * 13 + 150 * 7);
  const tables = new Set<string>();
  for (const [, sql] of Object.values(assertions))
    for (const table of (await foundIn(sql)).needs) tables.add(table);
  for (const table of tables)
    expect([table, await rowsOf(week.connection, `from ${table} limit 1`)]).toEqual([
      table,
      [expect.anything()],
    ]);
});
