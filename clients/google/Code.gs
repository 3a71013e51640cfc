/**
 * Sightline in Google Sheets and Looker Studio: paste this file into an Apps Script project (Extensions > Apps Script of a
 * spreadsheet, or script.google.com for Looker Studio), and set the address below. docs/recipes.md has the steps.
 */

/** The address of the API, without a slash at its end. The key is sent to this address only. */
const SIGHTLINE_URL = 'https://api.example.com';

/** The tables that the menu of a spreadsheet fills, each into the tab of its name. */
const SHEET_TABLES = ['visibility', 'share_of_voice', 'changes', 'sources', 'own_site', 'silent'];

/** The tables that a data source of Looker Studio can have. */
const TABLES = [
  'brands',
  'visibility',
  'trend',
  'events',
  'changes',
  'share_of_voice',
  'share_of_voice_by_engine',
  'sources',
  'own_site',
  'silent',
  'prompts',
];

const KEY_PROPERTY = 'sightline.key';
const KEY_PATTERN = /^vis_[0-9a-f]{48}$/;
const CACHE_PREFIX = 'sightline ';
/** Google ends a script after 6 minutes. No request begins, and no wait ends, later than this. */
const LONGEST_RUN_MS = 5 * 60 * 1000;
/** Google's cache takes up to 100 kB per value. */
const LONGEST_CACHED = 100 * 1000;
const STARTED = Date.now();

// The API

const TOO_LATE = 'Google allows 6 minutes. Start it again: it goes on where it ended.';

function storedKey() {
  return PropertiesService.getUserProperties().getProperty(KEY_PROPERTY);
}

/** The response to one request, after waiting as long as 429 asks for; each minute has an allowance. */
function request(path, key) {
  for (;;) {
    if (Date.now() - STARTED > LONGEST_RUN_MS) throw new Error(TOO_LATE);
    const response = UrlFetchApp.fetch(`${SIGHTLINE_URL}/api/v1/${path}`, {
      headers: { Authorization: `Bearer ${key}` },
      muteHttpExceptions: true,
      followRedirects: false,
    });
    if (response.getResponseCode() !== 429) return response;
    const headers = response.getHeaders();
    const name = Object.keys(headers).find((each) => each.toLowerCase() === 'retry-after');
    const waitMs = (Number(headers[name]) || 60) * 1000;
    if (Date.now() - STARTED + waitMs > LONGEST_RUN_MS) throw new Error(TOO_LATE);
    Utilities.sleep(waitMs);
  }
}

/** The data of a response; null for 404. */
function read(path) {
  const key = storedKey();
  if (key === null) throw new Error('There is no key yet.');
  const response = request(path, key);
  const status = response.getResponseCode();
  if (status === 404) return null;
  const isJson = /^\s*\{/.test(response.getContentText());
  const body = isJson ? JSON.parse(response.getContentText()) : {};
  if (status === 200 && 'data' in body) return body.data;
  throw new Error(
    body.error
      ? `${body.error.code}: ${body.error.message}`
      : `${SIGHTLINE_URL} is not the API: status ${status}`,
  );
}

/** The one snapshot of each week, newest first: the one that was published last, and not declared mistaken or lost. */
function weeks() {
  const byMonday = new Map();
  for (const snapshot of read('snapshots') || []) {
    const isStanding = snapshot.withdrawn === null || snapshot.withdrawn === 'pruned';
    const monday = new Date(`${snapshot.asOf.slice(0, 10)}T00:00:00Z`);
    monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
    const week = monday.toISOString().slice(0, 10);
    if (isStanding && !byMonday.has(week)) byMonday.set(week, snapshot);
  }
  return [...byMonday.values()].sort((a, b) => (a.asOf < b.asOf ? 1 : -1));
}

const isReadable = ({ withdrawn }) => withdrawn === null;

/** A table of a snapshot; null if the snapshot has none. */
function readTable(snapshotId, table) {
  return read(`snapshots/${encodeURIComponent(snapshotId)}/tables/${encodeURIComponent(table)}`);
}

// Sheets

function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu('Sightline')
    .addItem('Fill tabs: newest week', 'fillNewestWeek')
    .addItem('Fill tabs: all weeks', 'fillAllWeeks')
    .addSeparator()
    .addItem('Set the key…', 'askForKey')
    .addItem('Forget the key', 'resetAuth')
    .addToUi();
}

/** The key goes into the properties of this user, never into a cell: everyone who opens a spreadsheet can read its cells. */
function askForKey() {
  const ui = SpreadsheetApp.getUi();
  const answer = ui.prompt('Sightline', 'Your API key (vis_…)', ui.ButtonSet.OK_CANCEL);
  if (answer.getSelectedButton() !== ui.Button.OK) return;
  const { errorCode } = setCredentials({ key: answer.getResponseText() });
  if (errorCode !== 'NONE')
    ui.alert('The API does not accept this key. The key from before, if any, was kept.');
}

function fillNewestWeek() {
  fill((known) => known.filter(isReadable).slice(0, 1));
}

function fillAllWeeks() {
  fill((known) => known.filter(isReadable));
}

/** Fills each tab with the weeks that it does not have, oldest first: one request for the list, and one for each missing week of a table. */
function fill(choose) {
  const spreadsheet = SpreadsheetApp.getActiveSpreadsheet();
  try {
    const known = weeks();
    let added = 0;
    for (const table of SHEET_TABLES) added += fillTab(spreadsheet, table, known, choose(known).reverse());
    spreadsheet.toast(added === 0 ? 'Nothing was missing.' : `${added} weeks were added.`, 'Sightline');
  } catch (error) {
    SpreadsheetApp.getUi().alert(`Sightline: ${error.message}`);
  }
}

/** @returns how many weeks were added */
function fillTab(spreadsheet, table, known, wanted) {
  const sheet = spreadsheet.getSheetByName(table) || spreadsheet.insertSheet(table);
  if (sheet.getLastRow() > 0 && sheet.getRange(1, 1).getValue() !== 'snapshot_id')
    throw new Error(`The tab ${table} is not one of Sightline: rename it.`);
  removeReplaced(sheet, known);
  const present = new Set(snapshotsIn(sheet));
  const missing = wanted.filter(({ id }) => !present.has(id));
  for (const { id, asOf } of missing) {
    const { columns, rows } = readTable(id, table) || { columns: [], rows: [] };
    const header = ['snapshot_id', 'week', ...columns.map(({ name }) => name)];
    const cells = rows.map((row) => [
      asText(id),
      asOf.slice(0, 10),
      ...row.map((cell, at) => cellOf(cell, columns[at].type)),
    ]);
    // A row without values, so that an empty table is not asked for again.
    append(
      sheet,
      header,
      cells.length > 0 ? cells : [header.map((_, at) => [asText(id), asOf.slice(0, 10)][at] || '')],
    );
  }
  return missing.length;
}

/** The first column, which has the snapshot of each row. */
function snapshotsIn(sheet) {
  const rows = sheet.getLastRow() - 1;
  return rows < 1
    ? []
    : sheet
        .getRange(2, 1, rows, 1)
        .getValues()
        .map(([id]) => id);
}

/** Removes the rows of snapshots that were withdrawn, or published again. Those of pruned ones stay. */
function removeReplaced(sheet, known) {
  const standing = new Set(known.map(({ id }) => id));
  const ids = snapshotsIn(sheet);
  for (let end = ids.length; end > 0;) {
    let start = end - 1;
    while (start > 0 && ids[start - 1] === ids[start]) start -= 1;
    if (!standing.has(ids[start])) sheet.deleteRows(start + 2, end - start);
    end = start;
  }
}

/** Writes rows below the others, all at once: a week is there, or not. New columns of the API come at the end. */
function append(sheet, header, rows) {
  const first = Math.max(sheet.getLastRow(), 1) + 1;
  const last = first + rows.length - 1;
  if (sheet.getMaxRows() < last) sheet.insertRowsAfter(sheet.getMaxRows(), last - sheet.getMaxRows());
  if (sheet.getMaxColumns() < header.length)
    sheet.insertColumnsAfter(sheet.getMaxColumns(), header.length - sheet.getMaxColumns());
  if (sheet.getLastColumn() < header.length) sheet.getRange(1, 1, 1, header.length).setValues([header]);
  sheet.getRange(first, 1, rows.length, header.length).setValues(rows);
}

/** Sheets reads dates as dates. A text must not become a formula, a number or a date: people and engines write them. */
function cellOf(cell, type) {
  if (cell === null) return '';
  if (type === 'timestamp') return cell.slice(0, 19).replace('T', ' ');
  return type === 'text' ? asText(cell) : cell;
}

/** The apostrophe is not shown and not a part of the value. */
function asText(text) {
  return `'${text}`;
}

// Looker Studio (https://developers.google.com/looker-studio/connector)

function connector() {
  return DataStudioApp.createCommunityConnector();
}

function getAuthType() {
  const cc = connector();
  return cc.newAuthTypeResponse().setAuthType(cc.AuthType.KEY).build();
}

/** Keeps a key that the API accepts; takes one request. */
function setCredentials({ key }) {
  const trimmed = key.trim();
  const isAccepted = KEY_PATTERN.test(trimmed) && request('snapshots', trimmed).getResponseCode() === 200;
  if (!isAccepted) return { errorCode: 'INVALID_CREDENTIALS' };
  PropertiesService.getUserProperties().setProperty(KEY_PROPERTY, trimmed);
  return { errorCode: 'NONE' };
}

function isAuthValid() {
  return storedKey() !== null;
}

function resetAuth() {
  PropertiesService.getUserProperties().deleteProperty(KEY_PROPERTY);
}

function isAdminUser() {
  return false;
}

function getConfig() {
  const config = connector().getConfig();
  const select = config
    .newSelectSingle()
    .setId('table')
    .setName('Table')
    .setHelpText('One row format for each; docs/exporting.md describes the columns.');
  for (const table of TABLES)
    select.addOption(config.newOptionBuilder().setLabel(table.replaceAll('_', ' ')).setValue(table));
  config.setDateRangeRequired(true);
  return config.build();
}

/** Integers that are no counts: their sum means nothing. */
const NOT_COUNTS = ['rank', 'position', 'previous_position', 'net_sentiment', 'prior_scores'];

/** Numbers are metrics: counts are summed up, all others averaged. Everything else is a dimension. */
function fieldsOf(columns) {
  const cc = connector();
  const fields = cc.getFields();
  const types = {
    boolean: cc.FieldType.BOOLEAN,
    date: cc.FieldType.YEAR_MONTH_DAY,
    timestamp: cc.FieldType.YEAR_MONTH_DAY_SECOND,
  };
  for (const { name, type } of [{ name: 'week', type: 'date' }, ...columns]) {
    const isNumber = type === 'integer' || type === 'number';
    const field = isNumber ? fields.newMetric() : fields.newDimension();
    field.setId(name).setName(name.replaceAll('_', ' '));
    field.setType(isNumber ? cc.FieldType.NUMBER : types[type] || cc.FieldType.TEXT);
    const isCount = type === 'integer' && !NOT_COUNTS.includes(name);
    if (isNumber) field.setAggregation(isCount ? cc.AggregationType.SUM : cc.AggregationType.AVG);
  }
  return fields;
}

function getSchema({ configParams }) {
  return orUserError(() => {
    const table = read(`tables/${encodeURIComponent(tableIn(configParams))}`);
    if (table === null) throw new Error('The newest week has no tables.');
    return connector().newGetSchemaResponse().setFields(fieldsOf(table.columns)).build();
  });
}

/** The rows of the weeks in the date range: one request for the list, and one for each week that the cache does not have. */
function getData({ configParams, dateRange, fields: requested }) {
  return orUserError(() => {
    const table = tableIn(configParams);
    const { startDate, endDate } = dateRange;
    const known = weeks().filter(isReadable);
    const inRange = known.filter(
      ({ asOf }) => startDate <= asOf.slice(0, 10) && asOf.slice(0, 10) <= endDate,
    );
    const tables = inRange.map(({ id, asOf }) => ({
      week: asOf.slice(0, 10),
      table: cachedTable(id, table),
    }));
    const found = tables.filter((each) => each.table !== null);
    const newest = found.length > 0 ? found[0].table : read(`tables/${encodeURIComponent(table)}`);
    const fields = fieldsOf(newest === null ? [] : newest.columns).forIds(requested.map(({ name }) => name));
    const names = fields.asArray().map((field) => field.getId());
    const rows = found.flatMap(({ week, table: { columns, rows: cells } }) => {
      const places = names.map((name) => columns.findIndex((column) => column.name === name));
      return cells.map((row) =>
        places.map((at, index) => {
          if (names[index] === 'week') return week.replaceAll('-', '');
          return at === -1 ? null : lookerValue(row[at], columns[at].type);
        }),
      );
    });
    return connector().newGetDataResponse().setFields(fields).addAllRows(rows).build();
  });
}

function tableIn(configParams) {
  const table = configParams && configParams.table;
  if (!TABLES.includes(table)) throw new Error('Choose a table in the configuration of the data source.');
  return table;
}

/** A table of a snapshot never changes. Each user has a cache of their own; it keeps a value for up to 6 hours. */
function cachedTable(snapshotId, table) {
  const cache = CacheService.getUserCache();
  // By key too: another key may be of another workspace.
  const digest = Utilities.computeDigest(
    Utilities.DigestAlgorithm.SHA_256,
    `${storedKey()} ${snapshotId} ${table}`,
  );
  const name = CACHE_PREFIX + Utilities.base64Encode(digest);
  const kept = cache.get(name);
  if (kept !== null) {
    const zipped = Utilities.newBlob(Utilities.base64Decode(kept), 'application/x-gzip');
    return JSON.parse(Utilities.ungzip(zipped).getDataAsString());
  }
  const data = readTable(snapshotId, table);
  const text = Utilities.base64Encode(Utilities.gzip(Utilities.newBlob(JSON.stringify(data))).getBytes());
  if (text.length <= LONGEST_CACHED) cache.put(name, text, 6 * 60 * 60);
  return data;
}

/** Dates as 20261116, timestamps as 20261116060000, as Looker Studio reads them. */
function lookerValue(cell, type) {
  if (cell === null) return null;
  if (type === 'date') return cell.replaceAll('-', '');
  if (type === 'timestamp') return cell.slice(0, 19).replace(/[-:T]/g, '');
  return cell;
}

/** Looker Studio shows the text of user errors only. */
function orUserError(work) {
  try {
    return work();
  } catch (error) {
    connector()
      .newUserError()
      .setText(`Sightline: ${error.message}`)
      .setDebugText(String(error))
      .throwException();
  }
}
