import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { stageWhole } from '../../jobs/ingest/whole.ts';
import { execute, openDatabase, readSql, rowsOf, textList } from '../../jobs/duckdb.ts';
import { engineSlugs, sourceTypes } from '../../lib/methodology.ts';
import { temporaryFolder } from '../support/folder.ts';
import { deliver, rejectsOf } from './jobs.ts';
import { filesBelow } from './lake.ts';
import { citation, mention, ndjson, runId, sound, writeDrop } from './records.ts';
import type { Fields } from './records.ts';

/** A run of which no list is missing: one that is, is looked at alone. */
const whole = (given: Fields = {}): Fields =>
  sound.runs({ mentions: [mention()], citations: [citation()], ...given });

/** Stages a file as a whole. */
async function staged(bytes: string | Buffer, file = 'runs.ndjson') {
  const folder = await temporaryFolder(onTestFinished);
  const drop = await writeDrop(join(folder, 'drop'), { [file]: bytes });
  const database = await openDatabase({ scratch: folder });
  onTestFinished(() => database.close());
  const connection = await database.connect();
  await execute(connection, await readSql('macros'));
  await execute(connection, await readSql('staging'));
  const path = join(drop, file);
  const told: number[] = [];
  const doubtful = await stageWhole(
    database,
    {
      path,
      file,
      kind: 'runs',
      format: file.endsWith('gz') ? 'ndjson.gz' : 'ndjson',
      bytes: (await stat(path)).size,
      modifiedMs: 0,
    },
    { file, engines: textList(engineSlugs), source_types: textList(sourceTypes) },
    (more) => told.push(more),
  );
  const rows = await rowsOf<{ line: bigint; id: string }>(
    connection,
    'select line, id::varchar as id from staged_runs order by line',
  );
  return { doubtful, rows, bytes: Math.round(told.reduce((sum, more) => sum + more, 0)) };
}

test('sound lines need no second look, and all others get one', async () => {
  const good = [
    whole({ id: runId(1) }),
    whole({ id: runId(2), status: 'failed', mentions: [], citations: [] }),
    whole({ id: runId(3), mentions: [mention({ name: 'a \\ "b" \u0000 é, ]: nan' })] }),
    whole({ id: runId(4), citations: [citation({ url: 'http://www.a-b.example?x=1:info' })] }),
    `  ${JSON.stringify(whole({ id: runId(5) }))}\r`,
  ];
  const doubtful = [
    sound.runs({ id: runId(6) }),
    '{',
    `${JSON.stringify(whole({ id: runId(7) })).slice(0, -1)},}`,
    `${JSON.stringify(whole({ id: runId(8) })).slice(0, -1)},"more":[NaN]}`,
    whole({ id: runId(9), mentions: {} }),
    whole({ id: runId(10), citations: [citation({ url: 'https://EXAMPLE.com/' })] }),
    whole({ id: runId(11), engine: 'bing' }),
  ];
  const found = await staged(ndjson([...good, ...doubtful, ...good]));
  expect(found.doubtful).toEqual([6, 7, 8, 9, 10, 11, 12]);
  expect(found.rows.map(({ line }) => Number(line))).toEqual([1, 2, 3, 4, 5, 13, 14, 15, 16, 17]);
});

test.each([
  ['a blank line between others', '\n\n'],
  ['a line of white space', '\n \t\r\n'],
])('a file with %s is left to blocks, and nothing of it is staged', async (_, between) => {
  const line = JSON.stringify(whole());
  expect(await staged(`${line}${between}${line}`)).toEqual({ doubtful: null, rows: [], bytes: 0 });
});

test('so is one with a line that is too long for the reader', async () => {
  const long = JSON.stringify(whole({ more: 'x'.repeat(33 << 20) }));
  expect(await staged(`${JSON.stringify(whole())}\n${long}\n`)).toEqual({
    doubtful: null,
    rows: [],
    bytes: 0,
  });
});

test.each(['', '\n', '\n\n \r\n\t'])('what ends a file, %j, is no line', async (end) => {
  const bytes = `${JSON.stringify(whole())}${end}`;
  expect(await staged(bytes)).toMatchObject({ doubtful: [], rows: [{ line: 1n }], bytes: bytes.length });
  expect(await staged(gzipSync(bytes), 'runs.ndjson.gz')).toMatchObject({ doubtful: [], rows: [{}] });
});

test('a last line that is not UTF-8 does not hide a blank one before it', async () => {
  const good = Buffer.from(JSON.stringify(whole()));
  const end = Buffer.from([0x0a, 0xff, 0x0a]);
  expect(await staged(Buffer.concat([good, end]))).toMatchObject({ doubtful: [2], rows: [{ line: 1n }] });
  expect(await staged(Buffer.concat([good, Buffer.from('\n'), end]))).toMatchObject({
    doubtful: null,
    rows: [],
  });
});

test('an empty file has no lines', async () => {
  expect(await staged('')).toMatchObject({ doubtful: [], rows: [] });
});

// The reader takes a file in pieces of 32 MiB, several at once.
test('lines keep their numbers in a file that is read by several threads', async () => {
  const bad = new Set<number>();
  const lines = Array.from({ length: 240_000 }, (_, index) => {
    if (index % 9973 !== 17) return JSON.stringify(whole({ id: runId(index + 1) }));
    bad.add(index + 1);
    return `{"bad":${index + 1}`;
  });
  const bytes = `${lines.join('\n')}\n`;
  expect(bytes.length).toBeGreaterThan(2 * (32 << 20));
  const { doubtful, rows } = await staged(bytes);
  expect(doubtful).toEqual([...bad]);
  expect(rows.filter(({ line, id }) => id !== runId(Number(line)))).toEqual([]);
  expect(rows).toHaveLength(lines.length - bad.size);
}, 60_000);

const numRuns = Number(process.env['RANDOM_DROPS'] ?? 12);
const oddity = fc.oneof(
  fc.constantFrom(
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\t',
    '\r',
    '\0',
    '\u0001',
    '\ufeff',
    '\u2028',
    'é',
  ),
  fc.constantFrom(
    '0',
    '-',
    '1e400',
    'NaN',
    'Infinity',
    'null',
    ',]',
    ',}',
    '\\u0000',
    '\\ud800',
    '"id":7,',
    '/*x*/',
  ),
);
const replaced = fc.tuple(
  fc.constantFrom('id', 'brand_id', 'engine', 'cycle_date', 'ran_at', 'status', 'mentions', 'citations'),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)),
);
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.webAuthority({ withPort: true }),
  fc.string(),
);
const run = fc
  .record({
    names: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { maxLength: 3 }),
    urls: fc.array(url, { maxLength: 3 }),
    changed: fc.option(replaced, { freq: 4 }),
  })
  .map(({ names, urls, changed }) => {
    const sane = whole({
      id: randomUUID(),
      mentions: names.map((name, index) => mention({ name, position: index + 1 })),
      citations: urls.map((each) => citation({ url: each })),
    });
    return JSON.stringify(changed === null ? sane : { ...sane, [changed[0]]: changed[1] });
  });
const damaged = fc
  .tuple(run, oddity, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 3 }))
  .map(([text, odd, share, cut]) => {
    const at = Math.floor(share * text.length);
    return `${text.slice(0, at)}${odd}${text.slice(at + cut)}`;
  });

const noise = fc
  .constantFrom('', ' \t\r', '\v', '\f', '\xff', '\xff\r', '{"id":"\xff"}', '\xa0')
  .map((text) => Buffer.from(text, 'latin1'));
const line = fc.oneof(
  { weight: 8, arbitrary: fc.oneof(run, damaged).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: noise },
);

/** Takes lines in. @returns the names of the lake's objects, which are hashes of what they hold, and the rejects */
async function taken(folder: string, lines: readonly Buffer[], zipped: boolean) {
  const bytes = Buffer.concat(lines.flatMap((each) => [each, Buffer.from('\n')]));
  const drop = await writeDrop(join(folder, 'drop'), {
    [zipped ? 'runs.ndjson.gz' : 'runs.ndjson']: zipped ? gzipSync(bytes) : bytes,
  });
  const lake = join(folder, 'lake');
  const report = await deliver(lake, { folder: drop, date: '2026-11-16' });
  const objects = (await filesBelow(join(lake, 'runs'))).map((path) => basename(path));
  return { objects, rejects: await rejectsOf(lake, report) };
}

test(
  'a file staged as a whole and by blocks gives the same lake and the same rejects',
  async () => {
    const folder = await temporaryFolder();
    const first = Buffer.from(JSON.stringify(whole({ id: randomUUID() })));
    const blank = Buffer.from(''); // for which the reader has no row
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 60 }),
        fc.boolean(),
        async (lines, zipped) => {
          const at = join(folder, String(++cases));
          const asWhole = await taken(join(at, 'whole'), [first, ...lines], zipped);
          const byBlocks = await taken(join(at, 'blocks'), [first, blank, ...lines], zipped);
          expect(asWhole).toEqual({
            ...byBlocks,
            rejects: byBlocks.rejects.map((reject) => ({ ...reject, line: reject.line - 1 })),
          });
        },
      ),
      { numRuns },
    );
  },
  120_000 + numRuns * 10_000,
);
