import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gunzipSync, gzipSync } from 'node:zlib';

/* Stand-ins for the services of Google Apps Script, which refuse what the real ones refuse
   (https://developers.google.com/apps-script/reference, .../guides/services/quotas). */

const source = join(import.meta.dirname, '../../../clients/google/Code.gs');

export type Value = string | number | boolean | Date;

/** What a script may do wrong; the real services throw, too. */
function refuse(isWrong: boolean, message: string): void {
  if (isWrong) throw new Error(message);
}

/** A response as `UrlFetchApp` returns it, without waiting. */
export interface Fetched {
  status: number;
  text: string;
  headers: Record<string, string>;
}

/** A tab: cells that were not written are ''. */
export class Sheet {
  cells: Value[][] = [];
  maxRows = 1000;
  maxColumns = 26;
  formulas = 0;
  getLastRow = () => this.cells.length;
  getLastColumn = () => Math.max(0, ...this.cells.map((row) => row.length));
  getMaxRows = () => this.maxRows;
  getMaxColumns = () => this.maxColumns;
  insertRowsAfter(_after: number, count: number) {
    refuse(count < 1, 'Those rows are out of bounds.');
    this.maxRows += count;
  }
  insertColumnsAfter(_after: number, count: number) {
    refuse(count < 1, 'Those columns are out of bounds.');
    this.maxColumns += count;
  }
  deleteRows(first: number, count: number) {
    refuse(first < 1 || count < 1 || first + count - 1 > this.maxRows, 'Those rows are out of bounds.');
    refuse(count >= this.maxRows, "You can't delete all the rows on the sheet.");
    this.cells.splice(first - 1, count);
    this.maxRows -= count;
  }
  getRange(row: number, column: number, rows = 1, columns = 1) {
    refuse(row < 1 || column < 1, 'The starting row of the range is too small.');
    refuse(rows < 1 || columns < 1, 'The number of rows in the range must be at least 1.');
    const isInside = row + rows - 1 <= this.maxRows && column + columns - 1 <= this.maxColumns;
    refuse(!isInside, 'The coordinates of the range are outside the dimensions of the sheet.');
    const at = (y: number, x: number) => this.cells[row - 1 + y]?.[column - 1 + x] ?? '';
    return {
      getValue: () => at(0, 0),
      getValues: () =>
        Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (__, x) => at(y, x))),
      setValues: (values: unknown[][]) => {
        const isExact = values.length === rows && values.every(({ length }) => length === columns);
        refuse(!isExact, 'The number of columns in the data does not match that of the range.');
        for (const [y, cells] of values.entries())
          for (const [x, cell] of cells.entries())
            (this.cells[row - 1 + y] ??= [])[column - 1 + x] = this.#entered(cell);
      },
    };
  }
  /** What a cell has after a value was entered: Sheets reads texts as a person's entry. */
  #entered(value: unknown): Value {
    const isCell = ['string', 'number', 'boolean'].includes(typeof value);
    refuse(!isCell, `Cannot convert ${String(value)} to a cell`);
    if (typeof value !== 'string') return value as Value;
    refuse(value.length > 50_000, 'Your input contains more than the maximum of 50000 characters.');
    if (value.startsWith("'")) return value.slice(1);
    this.formulas += Number(/^[=+]/.test(value));
    if (/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(value)) return new Date(`${value.replace(' ', 'T')}Z`);
    return value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  }
}

/** A builder whose methods return it, as those of `cc.getConfig()` and the fields do. Others do not exist. */
function builder(state: object, setters: readonly string[], more: object = {}) {
  const self: Record<string, unknown> = { ...more };
  for (const name of setters)
    self[`set${name}`] = (value: unknown) => {
      refuse(value === undefined || value === null, `${name}: no value`);
      Object.assign(state, { [name]: value });
      return self;
    };
  return self;
}

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));

interface Field {
  Id: string;
  Name: string;
  Type: string;
  Aggregation?: string;
  isMetric: boolean;
}

function fieldsOf(list: Field[]) {
  const add = (isMetric: boolean) => {
    const field = { isMetric } as Field;
    list.push(field);
    return builder(field, ['Id', 'Name', 'Type', 'Description', ...(isMetric ? ['Aggregation'] : [])]);
  };
  return {
    list,
    newDimension: () => add(false),
    newMetric: () => add(true),
    asArray: () => list.map((field) => ({ getId: () => field.Id })),
    forIds: (ids: string[]): object =>
      fieldsOf(ids.map((id) => list.find(({ Id }) => Id === id)!).filter(Boolean)),
  };
}

function response(fields: ReturnType<typeof fieldsOf> | null = null, rows: unknown[][] = []): object {
  return {
    setFields: (given: ReturnType<typeof fieldsOf>) => response(given, rows),
    addAllRows(given: unknown[][]) {
      const isFit = given.every(
        (row) =>
          row.length === fields!.list.length &&
          row.every((cell) => cell === null || ['string', 'number', 'boolean'].includes(typeof cell)),
      );
      refuse(!isFit, 'The row does not match the fields.');
      return response(fields, [...rows, ...given]);
    },
    build: () => ({ fields: fields!.list, rows }),
  };
}

function communityConnector() {
  const config: { select: object[]; options: object[] } & Record<string, unknown> = {
    select: [],
    options: [],
  };
  return {
    AuthType: named('KEY', 'NONE'),
    FieldType: named('TEXT', 'NUMBER', 'BOOLEAN', 'YEAR_MONTH_DAY', 'YEAR_MONTH_DAY_SECOND'),
    AggregationType: named('SUM', 'AVG'),
    newAuthTypeResponse: () => {
      const state = {};
      return builder(state, ['AuthType', 'HelpUrl'], { build: () => state });
    },
    getConfig: () => ({
      newSelectSingle() {
        const select = {};
        config.select.push(select);
        const more = { addOption: (option: object) => void config.options.push(option) };
        return builder(select, ['Id', 'Name', 'HelpText', 'AllowOverride'], more);
      },
      newOptionBuilder: () => {
        const state = {};
        return builder(state, ['Label', 'Value'], { state });
      },
      setDateRangeRequired: (isRequired: boolean) => Object.assign(config, { isRequired }),
      build: () => config,
    }),
    getFields: () => fieldsOf([]),
    newGetSchemaResponse: () => response(),
    newGetDataResponse: () => response(),
    newUserError: () => {
      const state = { Text: '' };
      const throwException = () => {
        throw new Error(state.Text);
      };
      return builder(state, ['Text', 'DebugText'], { throwException });
    },
  };
}

const blob = (data: string | Buffer) => ({
  data,
  getBytes: () => Buffer.from(data),
  getDataAsString: () => data.toString(),
});

/** The script in an Apps Script project of one user. */
export function startProject(url: string, fetch: (path: string, key: string) => Fetched) {
  let time = Date.parse('2026-11-23T08:00:00Z');
  const began = time;
  const properties = new Map<string, string>();
  const cached = new Map<string, string>();
  const sheets = new Map<string, Sheet>();
  const said: string[] = [];
  const slept: number[] = [];
  const asked: string[] = [];
  let prompted = '';
  const checkTime = () => refuse(time - began > 6 * 60_000, 'Exceeded maximum execution time');
  class ScriptDate extends Date {
    static override now = () => time;
  }
  const ui = {
    Button: named('OK'),
    ButtonSet: named('OK_CANCEL'),
    prompt: () => ({ getSelectedButton: () => 'OK', getResponseText: () => prompted }),
    alert: (text: string) => void said.push(text),
  };
  const services = {
    Date: ScriptDate,
    DataStudioApp: { createCommunityConnector: communityConnector },
    PropertiesService: {
      getUserProperties: () => ({
        getProperty: (name: string) => properties.get(name) ?? null,
        setProperty(name: string, value: string) {
          refuse(Buffer.byteLength(value) > 9 * 1024, 'You have exceeded the property storage quota.');
          properties.set(name, value);
        },
        deleteProperty: (name: string) => void properties.delete(name),
      }),
    },
    CacheService: {
      getUserCache: () => ({
        get: (name: string) => cached.get(name) ?? null,
        put(name: string, value: string, seconds: number) {
          refuse(name.length > 250 || value.length > 100 * 1024, 'Argument too large: value');
          refuse(seconds > 21_600, 'Invalid argument: expirationInSeconds');
          cached.set(name, value);
        },
      }),
    },
    Utilities: {
      DigestAlgorithm: named('SHA_256'),
      computeDigest: (_: string, text: string) => createHash('sha256').update(text).digest(),
      base64Encode: (bytes: Buffer) => bytes.toString('base64'),
      base64Decode: (text: string) => Buffer.from(text, 'base64'),
      newBlob: blob,
      gzip: ({ data }: { data: string }) => blob(gzipSync(data)),
      ungzip: ({ data }: { data: Buffer }) => blob(gunzipSync(data)),
      sleep(ms: number) {
        refuse(ms > 300_000, 'Invalid argument: milliseconds');
        slept.push(ms);
        time += ms;
        checkTime();
      },
    },
    UrlFetchApp: {
      fetch(address: string, options: { headers: Record<string, string>; muteHttpExceptions?: boolean }) {
        checkTime();
        refuse(!address.startsWith(`${url}/api/v1/`), `asks ${address}`);
        time += 500;
        const path = address.slice(`${url}/api/v1/`.length);
        asked.push(path);
        const { status, text, headers } = fetch(
          path,
          options.headers['Authorization']!.replace('Bearer ', ''),
        );
        refuse(status >= 400 && options.muteHttpExceptions !== true, `returned code ${status}`);
        return { getResponseCode: () => status, getContentText: () => text, getHeaders: () => headers };
      },
    },
    SpreadsheetApp: {
      getUi: () => ui,
      getActiveSpreadsheet: () => ({
        getSheetByName: (name: string) => sheets.get(name) ?? null,
        insertSheet(name: string) {
          refuse(sheets.has(name), `A sheet with the name "${name}" already exists.`);
          const sheet = new Sheet();
          sheets.set(name, sheet);
          return sheet;
        },
        toast: (text: string) => void said.push(text),
      }),
    },
  };
  const text = readFileSync(source, 'utf8').replace('https://api.example.com', url);
  /** Calls a function of the script. Each call is an execution of its own, with its own 6 minutes. */
  const call = (name: string, argument?: object): unknown => {
    const context = createContext({ ...services, argument, Math, JSON });
    time = began;
    return runInContext(`${text}\n;${name}(argument)`, context) as unknown;
  };
  return {
    call,
    properties,
    sheets,
    said,
    slept,
    asked,
    prompt: (answer: string) => (prompted = answer),
  };
}
