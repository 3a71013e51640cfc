/** @module-tag long */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import type { IngestReport } from '../../../jobs/ingest/report.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { measureProgram } from '../../tools/bench/weekly/measure.ts';
import { mention, runId, sound } from '../records.ts';

const good = Buffer.from(`${JSON.stringify(sound.runs({ id: runId(1) }))}\n`);
const cafe = Buffer.from(
  `${JSON.stringify(sound.runs({ mentions: [mention({ name: 'Café' })] }))}\n`,
  'latin1',
);
const ones = (length: number) => Buffer.from(`{"mentions":[${Array(length).fill(1).join(',')}]}\n`);
const repeated = (line: string | Buffer, times: number) => Buffer.alloc(line.length * times, line);

/** Small files that are large once they are read. */
const bombs = {
  'blank lines': { bytes: repeated('\n', 32 << 20), refused: 0 },
  'Latin-1 lines': { bytes: repeated(cafe, 60_000), refused: 60_000 },
  'lists of 10 million mentions': { bytes: repeated(ones(10_000_000), 2), refused: 2 },
  'lines of 30 MiB': { bytes: repeated(`${'x'.repeat(30 << 20)}\n`, 12), refused: 12 },
};

// 3.1 GB for 16 MiB of blank lines, and 8 minutes for 60,000 lines of Latin-1, when lines were not limited.
test.each(Object.entries(bombs))(
  '%s take less memory than ingest may use, and little space in the lake',
  async (_, { bytes, refused }) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'drop'));
    await writeFile(join(folder, 'drop/runs.ndjson.gz'), gzipSync(Buffer.concat([bytes, good])));
    const args = ['ingest', '--from', join(folder, 'drop'), '--lake', join(folder, 'lake'), '--json'];
    const { peakBytes, stdout } = await measureProgram(folder, 'jobs/cli.ts', args);
    expect(peakBytes).toBeLessThan(2 * 2 ** 30);
    const { files, refusals } = JSON.parse(stdout) as IngestReport;
    expect(files).toMatchObject([{ ingested: 1, refused }]);
    const [kept, records] = [Math.min(refused, 10_000), refused];
    expect(refusals).toMatchObject(refused === 0 ? [] : [{ records, kept }]);
  },
);
