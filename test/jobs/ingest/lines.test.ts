import * as fc from 'fast-check';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lineBlocks } from '../../../jobs/ingest/read/lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { rejectsOf } from '../jobs.ts';
import { testLake } from '../lake.ts';
import { sound } from '../records.ts';

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => Buffer.from(text.replaceAll('\n', ''))),
  fc.constantFrom(
    ...['', '', ' ', '\t', '\r', ' \t\r', ',,,', ' , ', '-', '\ufeff'].map((text) => Buffer.from(text)),
  ),
  fc.constant(Buffer.from([0xc3])),
  fc.constant(Buffer.from([0xff, 0x0d])),
);

const isBlank = (text: string | Buffer) => typeof text === 'string' && /^[ \t\r]*$/.test(text);
const isText = (bytes: Buffer) => Buffer.from(bytes.toString('utf8')).equals(bytes);
const sizes = fc.integer({ min: 1, max: 40 });

test('blocks of any size hold every line that is not blank once, under its number, whatever falls on their edges', async () => {
  const path = join(await temporaryFolder(), 'lines.ndjson');
  const given = fc.array(line, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(given, sizes, fc.boolean(), fc.boolean(), async (others, size, zipped, isMarked) => {
      // Only at its very start has a file a byte order mark.
      const lines = [Buffer.alloc(0), ...others];
      const parts = lines.flatMap((l, n) => [Buffer.from(n > 0 ? '\n' : isMarked ? '\ufeff' : ''), l]);
      const bytes = Buffer.concat(parts);
      await writeFile(path, zipped ? gzipSync(bytes) : bytes);
      const found = new Map<number, string | Buffer>();
      const atOnce = zipped ? 64 : 3 + (size % 20);
      const limits = { bytes: size, lines: 1 + (size % 9), commas: 2, atOnce, longestLine: 1000 };
      for await (const block of lineBlocks(path, zipped, limits)) {
        const texts = block.text.split('\n');
        const broken = new Map(block.undecodable.map((each) => [each.line, each.bytes]));
        expect(block.lines).toBe(texts.length);
        expect(block.lines).toBeLessThanOrEqual(limits.lines);
        expect(isBlank(texts[0]!) && !broken.has(block.firstLine)).toBe(false);
        for (const [n, text] of texts.entries()) {
          expect(found.has(block.firstLine + n)).toBe(false);
          if (!isBlank(text)) found.set(block.firstLine + n, text);
        }
        for (const [number, raw] of broken) found.set(number, raw);
      }
      const expected = lines.map((l) => (isText(l) ? l.toString('utf8') : l));
      const solid = expected.map((l, n) => [n + 1, l] as const).filter(([, l]) => !isBlank(l));
      expect(found).toEqual(new Map(solid));
    }),
    { numRuns: 100 },
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

const most = { bytes: 99, lines: 99, commas: 99, atOnce: 1, longestLine: 99 };

async function blocksOf(text: string, limits: Partial<typeof most>) {
  const path = join(await temporaryFolder(), 'lines.ndjson');
  await writeFile(path, text);
  const found = await Array.fromAsync(lineBlocks(path, false, { ...most, ...limits }));
  return Object.fromEntries(found.map((block) => [block.firstLine, block.text]));
}

test.each([
  [{ lines: 2 }, 'a\n\n\nb\n c\nd', { 1: 'a\n', 4: 'b\n c', 6: 'd' }],
  [{ commas: 2 }, 'a,\n,\n,\n,\n,,\n,', { 1: 'a,\n,', 3: ',\n,', 5: ',,', 6: ',' }],
  [{ bytes: 8 }, 'aaaaaa\nb\nccccccc\nd', { 1: 'aaaaaa\nb', 3: 'ccccccc', 4: 'd' }],
])('a block ends with the line that reaches a limit: %j', async (limit, text, blocks) => {
  expect(await blocksOf(text, limit)).toEqual(blocks);
});

test('a line that is too long fails the ingest in one line that names its file and number', async () => {
  const limits = { atOnce: 4, longestLine: 8 };
  for (const text of ['xxxxxxxx', 'xxx\nxxxxxxxx']) expect(await blocksOf(text, limits)).toEqual({ 1: text });
  const failure = /^\/.*lines\.ndjson: line 2 is longer than 32 MiB$/;
  await expect(blocksOf('xxx\nxxxxxxxxx', limits)).rejects.toThrow(failure);
});
