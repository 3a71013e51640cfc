import * as fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lineBlocks } from '../../../jobs/ingest/read/lines.ts';
import { Failure } from '../../../lib/failure.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver, rejectsOf } from '../jobs.ts';
import { testLake } from '../lake.ts';
import { sound } from '../records.ts';

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
const sizes = fc.integer({ min: 1, max: 40 });

test('blocks of any size hold every line that is not blank once, under its number, whatever falls on their edges', async () => {
  const path = join(await temporaryFolder(), 'lines.ndjson');
  await fc.assert(
    fc.asyncProperty(fc.array(line), sizes, fc.boolean(), async (lines, size, zipped) => {
      const bytes = Buffer.concat(lines.flatMap((l) => [l, Buffer.from('\n')]));
      await writeFile(path, zipped ? gzipSync(bytes) : bytes);
      const found = new Map<number, string | Buffer>();
      const limits = { bytes: size, lines: 1 + (size % 3), commas: 2 };
      for await (const block of lineBlocks(path, zipped, limits)) {
        const texts = block.text.split('\n');
        expect(block.lines).toBe(texts.length);
        expect(block.lines).toBeLessThanOrEqual(limits.lines);
        for (const [n, text] of texts.entries()) {
          expect(found.has(block.firstLine + n)).toBe(false);
          if (!isBlank(text)) found.set(block.firstLine + n, text);
        }
        for (const { line: number, bytes: raw } of block.undecodable) found.set(number, raw);
      }
      const expected = lines.map((l) => (isText(l) ? l.toString('utf8') : l));
      const solid = expected.map((l, n) => [n + 1, l] as const).filter(([, l]) => !isBlank(l));
      expect(found).toEqual(new Map(solid));
    }),
    { numRuns: 200 },
  );
});

test('a line that is not UTF-8 is refused alone, and its bytes are kept', async () => {
  const { lake, ingested } = await testLake();
  const broken = Buffer.concat([Buffer.from('{"name":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
  const good = Buffer.from(`\n${JSON.stringify(sound.runs())}\n`);
  const report = await ingested({ 'runs.ndjson': Buffer.concat([good, broken, good]) });
  expect(report.files).toMatchObject([{ ingested: 1, repeated: 1, refused: 1 }]);
  const reject = { file: 'runs.ndjson', line: 3, reason: 'not UTF-8', record: '{"name":"caf\ufffd"}' };
  expect(await rejectsOf(lake, report)).toEqual([{ ...reject, record_base64: broken.toString('base64') }]);
});

test('a line of more than 32 MiB fails the ingest in one line that names its file and number', async () => {
  const { lake, dropOf } = await testLake();
  const long = sound.runs({ more: 'x'.repeat(34 << 20) });
  const drop = await dropOf({ 'runs.ndjson': [sound.runs(), '', long, sound.runs()] });
  const delivery = deliver(lake, { folder: drop, date: '2026-11-16' });
  await expect(delivery).rejects.toThrow(`${drop}/runs.ndjson: line 3 is longer than 32 MiB`);
  await expect(delivery).rejects.toBeInstanceOf(Failure);
});
