import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { TableDocument } from '../../../lib/documents/table.ts';
import { apiTables, isApiTable } from '../../../lib/tables/names.ts';
import type { Cell, CellType } from '../../../lib/tables/names.ts';
import { withdraw } from '../../adapters/publish.ts';
import { ask, bearer } from '../../gateway/ask.ts';
import { startListeningGateway, workspaceId } from '../../gateway/gateway.ts';
import type { ListeningGateway } from '../../gateway/gateway.ts';
import { brandsInTables, publishTables } from '../../gateway/tables.ts';
import { startProject } from './services.ts';
import type { Fetched } from './services.ts';

/** The tables of the menu. */
const filled = ['visibility', 'share_of_voice', 'changes', 'sources', 'own_site', 'silent'];

let gateway: ListeningGateway;
let key: string;
let ids: string[];
let project: ReturnType<typeof startProject>;
/** The gateway's responses by path: services of Google do not wait for a promise, so they are asked for before. */
let answers: Map<string, Fetched>;
/** How many of the next requests are refused. */
let refusals: number;

beforeEach(async () => {
  gateway = await startListeningGateway();
  onTestFinished(() => gateway.close());
  key = await gateway.createKey();
  [ids, answers, refusals] = [[], new Map(), 0];
  for (const day of ['2026-11-02', '2026-11-09', '2026-11-16']) ids.push(await publish(day));
  await ready();
  project = startProject(gateway.base, (path, by) => {
    const tooMany = {
      status: 429,
      text: '{"error":{"code":"rate_limited"}}',
      headers: { 'Retry-After': '20' },
    };
    if (refusals > 0 && refusals-- > 0) return tooMany;
    return answers.get(by === key ? path : 'refused')!;
  });
  project.prompt(` ${key}\n`);
});

/** Names that a spreadsheet would run, or take for something else. */
const hostile = ['=1+1', '2026-11-16', '007', "'+1"];

async function publish(day: string): Promise<string> {
  const name = hostile[ids.length]!;
  const brands = brandsInTables.map((given) => ({ ...given, brand: { ...given.brand, name } }));
  return await publishTables(gateway.log, day, brands);
}

/** Asks the gateway for all that the script may ask for. */
async function ready() {
  await gateway.documents.refresh();
  const tables = apiTables.map((table) => `tables/${table}`);
  const past = ids.flatMap((id) => tables.map((path) => `snapshots/${id}/${path}`));
  const get = async (path: string, by: string) => {
    const { status, text } = await ask(gateway.base, `/api/v1/${path}`, { headers: bearer(by) });
    return { status, text, headers: {} };
  };
  for (const path of ['snapshots', ...tables, ...past]) answers.set(path, await get(path, key));
  answers.set('refused', await get('snapshots', `vis_${'0'.repeat(48)}`));
}

const tableOf = (id: string, table: string) =>
  (JSON.parse(answers.get(`snapshots/${id}/tables/${table}`)!.text) as { data: TableDocument }).data;

const inSheet: Partial<Record<CellType, (cell: string) => Date>> = {
  date: (cell) => new Date(`${cell}T00:00:00Z`),
  timestamp: (cell) => new Date(cell),
};

/** What the rows of a week must be in a tab. */
function rowsIn(id: string, day: string, table: string) {
  const { columns, rows } = tableOf(id, table);
  const week = new Date(`${day}T00:00:00Z`);
  if (rows.length === 0) return [[id, week, ...columns.map(() => '')]];
  const shown = (cell: Cell, at: number) => inSheet[columns[at]!.type]?.(cell as string) ?? cell;
  return rows.map((row) => [id, week, ...row.map((cell, at) => (cell === null ? '' : shown(cell, at)))]);
}

const cellsOf = (table: string) => project.sheets.get(table)!.cells.slice(1);

describe('the menu of a spreadsheet', () => {
  test('fills a tab for each table with the cells of all weeks, by one request for each, and later only what is missing', async () => {
    project.call('askForKey');
    expect([...project.properties.values()]).toEqual([key]);
    project.asked.length = 0;
    project.call('fillAllWeeks');
    expect(project.said).toEqual(['18 weeks were added.']);
    expect(project.asked).toHaveLength(1 + filled.length * 3);
    for (const table of filled) {
      const names = tableOf(ids[0]!, table).columns.map(({ name }) => name);
      expect(project.sheets.get(table)!.cells[0]).toEqual(['snapshot_id', 'week', ...names]);
      const days = ['2026-11-02', '2026-11-09', '2026-11-16'];
      expect(cellsOf(table)).toEqual(days.flatMap((day, at) => rowsIn(ids[at]!, day, table)));
    }
    const sheets = [...project.sheets.values()];
    expect(sheets.map(({ formulas }) => formulas)).toEqual(filled.map(() => 0));
    expect(JSON.stringify(sheets.map(({ cells }) => cells))).not.toContain('vis_');
    ids.push(await publish('2026-11-23'));
    await ready();
    project.asked.length = 0;
    project.call('fillNewestWeek');
    expect(project.asked).toEqual([
      'snapshots',
      ...filled.map((table) => `snapshots/${ids[3]}/tables/${table}`),
    ]);
    project.call('fillAllWeeks');
    expect(project.said.at(-1)).toBe('Nothing was missing.');
  });

  test('replaces a week that was declared mistaken, and keeps one that was pruned', async () => {
    project.call('askForKey');
    project.call('fillAllWeeks');
    await withdraw(gateway.log, workspaceId, [
      { snapshotId: ids[0]!, reason: 'pruned' },
      { snapshotId: ids[1]!, reason: 'mistaken' },
    ]);
    const again = await publish('2026-11-10');
    ids.push(again);
    await ready();
    project.call('fillAllWeeks');
    const weeks = new Set(cellsOf('visibility').map(([id]) => id));
    expect([...weeks]).toEqual([ids[0], ids[2], again]);
  });

  test('waits as long as the API asks for, and ends in time: the next time it goes on', () => {
    project.call('askForKey');
    refusals = 2;
    project.call('fillNewestWeek');
    expect(project.slept).toEqual([20_000, 20_000]);
    refusals = 1000;
    project.call('fillAllWeeks');
    expect(project.said.at(-1)).toMatch(/^Sightline: Google allows 6 minutes\./);
    expect(cellsOf('visibility').length).toBe(rowsIn(ids[2]!, '2026-11-16', 'visibility').length);
    refusals = 0;
    project.call('fillAllWeeks');
    expect(project.said.at(-1)).toBe('12 weeks were added.');
  });

  test('keeps no key that the API refuses, overwrites no tab of others, and says what is wrong', () => {
    project.call('fillAllWeeks');
    project.prompt(`vis_${'1'.repeat(48)}`);
    project.call('askForKey');
    expect(project.properties.size).toBe(0);
    project.prompt(key);
    project.call('askForKey');
    project.call('fillNewestWeek');
    const sheet = project.sheets.get('visibility')!;
    sheet.cells = [['My own numbers'], [1]];
    project.call('fillNewestWeek');
    expect(sheet.cells).toEqual([['My own numbers'], [1]]);
    project.call('resetAuth');
    expect([project.said, project.properties.size]).toEqual([
      [
        'Sightline: There is no key yet.',
        'The API does not accept this key. The key from before, if any, was kept.',
        '6 weeks were added.',
        'Sightline: The tab visibility is not one of Sightline: rename it.',
      ],
      0,
    ]);
  });
});

describe('the connector of Looker Studio', () => {
  const configParams = { table: 'visibility' };
  const days = { startDate: '2026-11-09', endDate: '2026-11-16' };
  const getData = (names: string[], dateRange = days) =>
    project.call('getData', { configParams, dateRange, fields: names.map((name) => ({ name })) });

  test('asks for a key, keeps only one that the API accepts, and offers every table with a date range', () => {
    expect(project.call('getAuthType')).toEqual({ AuthType: 'KEY' });
    expect(project.call('isAuthValid')).toBe(false);
    const wrong = { key: `vis_${'1'.repeat(48)}` };
    expect(project.call('setCredentials', wrong)).toEqual({ errorCode: 'INVALID_CREDENTIALS' });
    expect(project.call('setCredentials', { key })).toEqual({ errorCode: 'NONE' });
    expect(project.call('isAuthValid')).toBe(true);
    const { options, isRequired } = project.call('getConfig') as {
      options: { state: { Value: string } }[];
      isRequired: boolean;
    };
    expect([options.map(({ state }) => state.Value), isRequired]).toEqual([[...apiTables], true]);
    expect(filled.every(isApiTable)).toBe(true);
  });

  test('has a field for each column, counts to be summed up and percentages to be averaged', () => {
    project.call('setCredentials', { key });
    const { fields } = project.call('getSchema', { configParams }) as { fields: Record<string, unknown>[] };
    const { columns } = tableOf(ids[0]!, 'visibility');
    expect(fields.map(({ Id }) => Id)).toEqual(['week', ...columns.map(({ name }) => name)]);
    const typeOf = (id: string) => {
      const { Type, Aggregation, isMetric } = fields.find(({ Id }) => Id === id)!;
      return [Type, Aggregation, isMetric];
    };
    expect(typeOf('week')).toEqual(['YEAR_MONTH_DAY', undefined, false]);
    expect(typeOf('engine')).toEqual(['TEXT', undefined, false]);
    expect(typeOf('is_significant')).toEqual(['BOOLEAN', undefined, false]);
    expect(typeOf('score')).toEqual(['NUMBER', 'AVG', true]);
    expect(typeOf('prompts_answered')).toEqual(['NUMBER', 'SUM', true]);
  });

  test('has the requested fields of the weeks in the date range, and asks for each week once', () => {
    project.call('setCredentials', { key });
    project.asked.length = 0;
    const { rows } = getData(['score', 'week', 'date', 'engine']) as { rows: unknown[][] };
    const expected = [ids[2]!, ids[1]!].flatMap((id, at) => {
      const { columns, rows: cells } = tableOf(id, 'visibility');
      const [score, date, engine] = ['score', 'date', 'engine'].map((name) =>
        columns.findIndex((column) => column.name === name),
      ) as [number, number, number];
      const week = ['20261116', '20261109'][at];
      return cells.map((row) => [row[score], week, (row[date] as string).replaceAll('-', ''), row[engine]]);
    });
    expect(expected.length).toBeGreaterThan(10);
    expect(rows).toEqual(expected);
    expect(project.asked).toHaveLength(1 + 2);
    getData(['band_low']);
    expect(project.asked.slice(3)).toEqual(['snapshots']);
    const none = getData(['score'], { startDate: '2026-01-01', endDate: '2026-01-02' });
    expect(none).toMatchObject({ fields: [{ Id: 'score' }], rows: [] });
  });

  test('says what is wrong in words for people', () => {
    expect(() => getData(['score'])).toThrow('Sightline: There is no key yet.');
    project.call('setCredentials', { key });
    expect(() => project.call('getSchema', {})).toThrow('Sightline: Choose a table');
    answers.set('snapshots', { status: 502, text: '<html>', headers: {} });
    expect(() => getData(['score'])).toThrow(`Sightline: ${gateway.base} is not the API: status 502`);
    answers.set('snapshots', answers.get('refused')!);
    expect(() => getData(['score'])).toThrow('Sightline: invalid_key: ');
  });
});
