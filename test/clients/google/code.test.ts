import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { apiTables } from '../../../lib/tables/names.ts';
import { withdraw } from '../../adapters/publish.ts';
import { ask, bearer } from '../../gateway/ask.ts';
import { startListeningGateway, workspaceId } from '../../gateway/gateway.ts';
import type { ListeningGateway } from '../../gateway/gateway.ts';
import { brandsInTables, publishTables } from '../../gateway/snapshots.ts';
import { root } from '../tools.ts';

/* The whole script in a stand-in for Google Apps Script, which has only what the script calls. */

type Loose = Record<string, unknown>;

/** Has the methods `set…`, each of which keeps its value under the rest of its name and returns the builder. */
function builder(state: Loose): Loose {
  const chained: Loose = new Proxy(state, {
    get: (_, name) =>
      String(name).startsWith('set')
        ? (value: unknown) => Object.assign(state, { [String(name).slice(3)]: value }) && chained
        : state[String(name)],
  });
  return chained;
}

const orNull = (kept: Map<string, unknown>) => (name: string) => kept.get(name) ?? null;

/** Constants that are their own names. */
const constants = new Proxy({}, { get: (_, name) => name });

/** What a cell has after a value was entered: Sheets reads texts as a person's entry. */
function entered(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith("'")) return value.slice(1);
  if (/^[=+]/.test(value)) throw new Error(`${value} became a formula`);
  if (/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(value)) return new Date(`${value.replace(' ', 'T')}Z`);
  return value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** A tab with room for one row and one column. */
function newSheet(cells: unknown[][] = []) {
  let [rows, columns] = [1, 1];
  return {
    cells,
    getLastRow: () => cells.length,
    getLastColumn: () => Math.max(0, ...cells.map((row) => row.length)),
    getMaxRows: () => rows,
    getMaxColumns: () => columns,
    insertRowsAfter: (_: number, count: number) => void (rows += count),
    insertColumnsAfter: (_: number, count: number) => void (columns += count),
    deleteRows: (first: number, count: number) => void cells.splice(first - 1, count),
    getRange(top: number, left: number, height = 1, width = 1) {
      if (top + height - 1 > rows || left + width - 1 > columns) throw new Error('outside of the sheet');
      return {
        getValue: () => cells[top - 1]?.[left - 1] ?? '',
        getValues: () => cells.slice(top - 1, top - 1 + height).map((row) => row.slice(left - 1, width)),
        setValues(values: unknown[][]) {
          expect(values.map(({ length }) => length)).toEqual(Array.from({ length: height }, () => width));
          for (const [y, row] of values.entries()) cells[top - 1 + y] = row.map(entered);
        },
      };
    },
  };
}

function fieldsOf(list: Loose[]): Loose {
  const add = (isMetric: boolean) => list[list.push(builder({ isMetric })) - 1];
  return {
    list,
    newDimension: () => add(false),
    newMetric: () => add(true),
    asArray: () => list.map(({ Id }) => ({ getId: () => Id })),
    forIds: (ids: unknown[]) => fieldsOf(ids.map((id) => list.find(({ Id }) => Id === id)!)),
  };
}

function response(): Loose {
  const given: Loose = builder({
    addAllRows: (rows: unknown[][]) => Object.assign(given, { rows }),
    build: () => ({ fields: (given['Fields'] as { list: Loose[] }).list, rows: given['rows'] }),
  });
  return given;
}

const connector = {
  FieldType: constants,
  AggregationType: constants,
  getFields: () => fieldsOf([]),
  newGetSchemaResponse: response,
  newGetDataResponse: response,
  newUserError() {
    const error: Loose = builder({
      throwException() {
        throw new Error(String(error['Text']));
      },
    });
    return error;
  },
};

let gateway: ListeningGateway;
let ids: string[];
/** The gateway's responses by path: services of Google do not wait for a promise, so they are asked for before. */
let answers: Map<string, { status: number; text: string }>;
let user: { prompted: string; said: string[]; asked: string[]; waited: number; refusals: number };
let sheets: Map<string, ReturnType<typeof newSheet>>;
let call: (name: string, argument?: object) => unknown;

/** Publishes a week whose brands have a name that a spreadsheet would take for something else. */
async function publish(day: string, name: string) {
  const brands = brandsInTables.map((given) => ({ ...given, brand: { ...given.brand, name } }));
  ids.push(await publishTables(gateway.log, workspaceId, day, brands));
  await gateway.documents.refresh();
  const tables = apiTables.map((table) => `tables/${table}`);
  const past = tables.map((path) => `snapshots/${ids.at(-1)!}/${path}`);
  for (const path of ['snapshots', ...tables, ...past])
    answers.set(path, await ask(gateway.base, `/api/v1/${path}`, { headers: bearer(gateway.key) }));
}

beforeEach(async () => {
  gateway = await startListeningGateway();
  onTestFinished(() => gateway.close());
  [ids, answers, sheets] = [[], new Map(), new Map()];
  await publish('2026-11-09', '=1+1');
  await publish('2026-11-16', '2026-11-16');
  user = { prompted: ` ${gateway.key}\n`, said: [], asked: [], waited: 0, refusals: 0 };
  const properties = new Map<string, string>();
  const cached = new Map<string, string>();
  const say = (text: string) => user.said.push(text);
  const ask429 = { getResponseCode: () => 429, getHeaders: () => ({ 'Retry-After': '20' }) };
  const services = {
    Date: class extends Date {
      static override now = () => user.waited;
    },
    PropertiesService: {
      getUserProperties: () => ({
        getProperty: orNull(properties),
        setProperty: (name: string, value: string) => properties.set(name, value),
      }),
    },
    CacheService: {
      getUserCache: () => ({
        get: orNull(cached),
        put: (name: string, value: string) => cached.set(name, value),
      }),
    },
    SpreadsheetApp: {
      getUi: () => ({
        Button: constants,
        ButtonSet: constants,
        prompt: () => ({ getSelectedButton: () => 'OK', getResponseText: () => user.prompted }),
        alert: say,
      }),
      getActiveSpreadsheet: () => ({
        getSheetByName: orNull(sheets),
        insertSheet: (name: string) => sheets.set(name, newSheet()).get(name),
        toast: say,
      }),
    },
    Utilities: {
      DigestAlgorithm: constants,
      computeDigest: (_: string, text: string) => text,
      base64Encode: (text: string) => text,
      base64Decode: (text: string) => text,
      newBlob: (data: string) => ({ getBytes: () => data, getDataAsString: () => data }),
      gzip: (blob: object) => blob,
      ungzip: (blob: object) => blob,
      sleep: (ms: number) => void (user.waited += ms),
    },
    UrlFetchApp: {
      fetch(address: string, { headers }: { headers: Record<string, string> }) {
        if (user.refusals-- > 0) return ask429;
        const path = address.replace(`${gateway.base}/api/v1/`, '');
        user.asked.push(path);
        const isOurs = headers['Authorization'] === `Bearer ${gateway.key}`;
        const { status, text } = isOurs ? answers.get(path)! : { status: 401, text: '{}' };
        return { getResponseCode: () => status, getContentText: () => text };
      },
    },
    DataStudioApp: { createCommunityConnector: () => connector },
  };
  const source = readFileSync(join(root, 'clients/google/Code.gs'), 'utf8');
  const script = source.replace('https://api.example.com', gateway.base);
  call = (name, argument) =>
    runInContext(`${script}\n;${name}(argument)`, createContext({ ...services, argument })) as unknown;
});

/** Compares with a golden file. */
async function expectGolden(lines: readonly unknown[], name: string): Promise<void> {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const text = `${texts.join('\n')}\n`.replaceAll(/Z-[0-9a-f]{16}/g, 'Z-HASH');
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${name}.txt`));
}

test('the menu of a spreadsheet fills a tab for each table with all weeks, and later only what is missing or replaced', async () => {
  const lines: unknown[] = [];
  /** Runs a function of the menu, and keeps what the user sees, what was asked for, and the tabs. */
  const run = (name: string, ...tabs: string[]) => {
    call(name);
    const { said, asked, waited } = user;
    lines.push('', `# ${name}, after ${waited} ms`, ...said.splice(0), ...asked.splice(0));
    for (const tab of tabs) lines.push(`# ${tab}`, ...sheets.get(tab)!.cells);
  };
  const key = user.prompted;
  user.prompted = `vis_${'1'.repeat(48)}`;
  run('askForKey');
  user.prompted = key;
  run('askForKey');
  user.refusals = 2;
  run('fillAllWeeks', 'visibility', 'share_of_voice', 'changes', 'sources', 'own_site', 'silent');
  const withdrawals = [
    { snapshotId: ids[0]!, reason: 'pruned' as const },
    { snapshotId: ids[1]!, reason: 'mistaken' as const },
  ];
  await withdraw(gateway.log, workspaceId, withdrawals);
  await publish('2026-11-17', '007');
  user.refusals = 1000;
  run('fillAllWeeks');
  [user.refusals, user.waited] = [0, 0];
  run('fillNewestWeek', 'share_of_voice', 'silent');
  sheets.set('visibility', newSheet([['My own numbers'], [1]]));
  run('fillAllWeeks', 'visibility');
  await expectGolden(lines, 'spreadsheet');
});

test('the connector of Looker Studio has a field for each column, and the rows of the weeks in the date range', async () => {
  const wrong = { key: `vis_${'1'.repeat(48)}` };
  expect(call('setCredentials', wrong)).toEqual({ errorCode: 'INVALID_CREDENTIALS' });
  expect(call('setCredentials', { key: gateway.key })).toEqual({ errorCode: 'NONE' });
  expect(() => call('getSchema', {})).toThrow('Sightline: Choose a table');
  const lines: unknown[] = [];
  for (const table of ['visibility', 'changes']) {
    const { fields } = call('getSchema', { configParams: { table } }) as { fields: object[] };
    lines.push(`# ${table}`, ...fields.map((field) => ({ ...field })));
  }
  const request = {
    configParams: { table: 'visibility' },
    dateRange: { startDate: '2026-11-10', endDate: '2026-11-16' },
    fields: ['score', 'week', 'date', 'is_significant'].map((name) => ({ name })),
  };
  user.asked.length = 0;
  for (let turn = 0; turn < 2; turn++) {
    const { rows } = call('getData', request) as { rows: { values: unknown[] }[] };
    lines.push('# getData', ...user.asked.splice(0), ...rows);
  }
  await expectGolden(lines, 'connector');
});
