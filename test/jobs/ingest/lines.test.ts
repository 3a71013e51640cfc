import * as fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { lineBlocks } from '../../../jobs/ingest/read/lines.ts';
import { Failure } from '../../../lib/failure.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver, rejectsOf } from '../jobs.ts';
import { runId, sound, writeDrop } from '../records.ts';

const line = fc.oneof(
  fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .map((text) => Buffer.from(text.replaceAll(/[\n\ufeff]/g, ''))),
  fc.constantFrom(...['', '', ' \t\r', ',,,', ' , '].map((text) => Buffer.from(text))),
  fc.constant(Buffer.from([0xc3])),
  fc.constant(Buffer.from([0xff, 0x0d])),
);

const isBlank = (text: string | Buffer) => typeof text === 'string' && /^[ \t\r]*$/.test(text);
const isText = (bytes: Buffer) => Buffer.from(bytes.toString('utf8')).equals(bytes);

test('blocks of any size hold every line that is not blank once, under its number, whatever falls on their edges', async () => {
  const path = join(await temporaryFolder(), 'lines.ndjson');
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (lines, size, zipped) => {
        const bytes = Buffer.concat(lines.flatMap((l) => [l, Buffer.from('\n')]));
        await writeFile(path, zipped ? gzipSync(bytes) : bytes);
        const found = new Map<number, string | Buffer>();
        const limits = { bytes: size, lines: 1 + (size % 3), commas: 2 };
        for await (const block of lineBlocks(path, zipped, limits)) {
          expect(isBlank(block.text.split('\n')[0]!) && block.undecodable[0]?.line !== block.firstLine).toBe(
            false,
          );
          expect(block.lines).toBeLessThanOrEqual(limits.lines);
          for (const [n, text] of block.text.split('\n').entries()) {
            expect(found.has(block.firstLine + n)).toBe(false);
            if (!isBlank(text)) found.set(block.firstLine + n, text);
          }
          for (const { line: number, bytes: raw } of block.undecodable) found.set(number, raw);
        }
        const expected = lines.map((l) => (isText(l) ? l.toString('utf8') : l));
        const solid = expected.map((l, n) => [n + 1, l] as const).filter(([, l]) => !isBlank(l));
        expect(found).toEqual(new Map(solid));
      },
    ),
    { numRuns: 300 },
  );
});

test('a byte order mark, CRLF, blank lines and a last line without an end are accepted', async () => {
  const folder = await temporaryFolder();
  const lines = [1, 2, 3].map((n) => JSON.stringify(sound.runs({ id: runId(n) })));
  const text = `\ufeff${lines[0]}\r\n\r\n  \t\n{\r\n${lines[1]}\n\n\r\n${lines[2]}`;
  for (const [n, bytes] of [Buffer.from(text), gzipSync(text)].entries()) {
    const drop = await writeDrop(join(folder, `drop-${n}`), {
      [n === 0 ? 'runs.ndjson' : 'runs.ndjson.gz']: bytes,
    });
    const lake = join(folder, `lake-${n}`);
    const report = await deliver(lake, { folder: drop, date: '2026-11-16' });
    expect(report.files).toMatchObject([{ ingested: 3, refused: 1 }]);
    expect(await rejectsOf(lake, report)).toMatchObject([{ line: 4, record: '{' }]);
  }
});

test('a line that is not UTF-8 is refused alone, and its bytes are kept', async () => {
  const folder = await temporaryFolder();
  const good = Buffer.from(JSON.stringify(sound.runs()));
  const broken = Buffer.concat([Buffer.from('{"name":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
  const newline = Buffer.from('\n');
  const drop = await writeDrop(join(folder, 'drop'), {
    'runs.ndjson': Buffer.concat([newline, broken, newline, good, newline, broken]),
  });
  const lake = join(folder, 'lake');
  const report = await deliver(lake, { folder: drop, date: '2026-11-16' });
  expect(report.files).toMatchObject([{ ingested: 1, refused: 2 }]);
  const reject = { file: 'runs.ndjson', reason: 'not UTF-8', record: '{"name":"caf\ufffd"}' };
  const kept = { ...reject, record_base64: broken.toString('base64') };
  expect(await rejectsOf(lake, report)).toEqual([
    { ...kept, line: 2 },
    { ...kept, line: 4 },
  ]);
});

test('a line of more than 32 MiB fails the ingest in one line that names its file and number', async () => {
  const folder = await temporaryFolder();
  const good = JSON.stringify(sound.runs());
  const long = JSON.stringify(sound.runs({ more: 'x'.repeat(34 << 20) }));
  const drop = await writeDrop(join(folder, 'drop'), { 'runs.ndjson': `${good}\n\n${long}\n${good}\n` });
  const delivery = deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-16' });
  await expect(delivery).rejects.toThrow(`${drop}/runs.ndjson: line 3 is longer than 32 MiB`);
  await expect(delivery).rejects.toBeInstanceOf(Failure);
});
