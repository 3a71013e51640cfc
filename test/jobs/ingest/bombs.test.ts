/** @module-tag long */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { IngestReport } from '../../../jobs/ingest/report.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { measureProgram } from '../../tools/bench/weekly/measure.ts';
import { mention, ndjson, runId, sound, writeDrop } from '../records.ts';

const repeated = (line: string | Buffer, times: number) => Buffer.alloc(line.length * times, line);
const latin1 = Buffer.from(ndjson([sound.runs({ mentions: [mention({ name: 'Café' })] })]), 'latin1');

/** Small files that are large once they are read, with the number of lines that are refused. */
const bombs: [bytes: Buffer, refused: number][] = [
  [repeated('\n', 16 << 20), 0],
  [repeated(latin1, 60_000), 60_000],
  [Buffer.from(`{"mentions":[${Array(10_000_000).fill(1).join(',')}]}\n`), 1],
  [repeated(`${'x'.repeat(30 << 20)}\n`, 12), 12],
];

// 3.1 GB for 16 MiB of blank lines, and 8 minutes for 60,000 lines of Latin-1, when lines were not limited.
test('files that are small until they are read take less memory than ingest may use, and of their lines the first 10,000 are kept', async () => {
  const folder = await temporaryFolder();
  const files = bombs.map(([bytes], n) => {
    const good = Buffer.from(ndjson([sound.runs({ id: runId(n) })]));
    return [`runs-${n}.ndjson.gz`, gzipSync(Buffer.concat([bytes, good]), { level: 1 })] as const;
  });
  const drop = await writeDrop(join(folder, 'drop'), Object.fromEntries(files));
  const args = ['ingest', '--from', drop, '--lake', join(folder, 'lake'), '--json'];
  const { peakBytes, stdout } = await measureProgram(folder, 'jobs/cli.ts', args);
  expect(peakBytes).toBeLessThan(2 * 2 ** 30);
  const report = JSON.parse(stdout) as IngestReport;
  expect(report.files).toMatchObject(bombs.map(([, refused]) => ({ ingested: 1, refused })));
  expect(report.refusals).toContainEqual({ reason: 'not UTF-8', records: 60_000, kept: 10_000 });
});
