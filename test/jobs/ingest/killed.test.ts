/** @module-tag long */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { objectsOf, readLedger } from '../../../jobs/lake/ledger.ts';
import type { Delivery } from '../../../jobs/lake/delivery.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { diesByItself } from '../../support/program.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { runId, sound, tracked, writeDrop } from '../records.ts';

const program = fileURLToPath(new URL('./ingest.program.ts', import.meta.url));
const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
const date = '2026-11-16';

/** Two cycles and a record that is refused, so that every kind of object is written. */
async function makeDrop(folder: string): Promise<string> {
  const runs = [
    sound.runs({ id: runId(1), cycle_date: '2026-11-02' }),
    sound.runs({ id: runId(2) }),
    sound.runs({ id: runId(3), engine: 'altavista' }),
  ];
  return await writeDrop(join(folder, 'drop'), { ...tracked, 'runs.ndjson': runs });
}

const diesAt = async (lake: string, drop: string, n: number, scratch: string) =>
  await diesByItself(program, [lake, drop, String(n)], scratch);

/** The deliveries, with every object that they name there and as they say. */
async function wholeLedger(lake: ObjectStore, scratch: string): Promise<Delivery[]> {
  const ledger = await readLedger(lake);
  for (const { key, sha256: expected, bytes } of ledger.flatMap(objectsOf)) {
    const content = await readFile((await lake.localFile(key, scratch))!);
    expect([content.length, sha256(content)]).toEqual([bytes, expected]);
  }
  return ledger;
}

const sourcesOf = (ledger: readonly Delivery[]) => ledger.map(({ number, sources }) => ({ number, sources }));

/** After each operation: what dies before the next one has left the same. */
async function killEverywhere(
  folder: string,
  open: (name: string) => { location: string; lake: ObjectStore },
): Promise<number> {
  const drop = await makeDrop(folder);
  const { lake: undisturbed } = open('undisturbed');
  await ingest({ from: drop, lake: undisturbed, date }, { clock });
  const expected = sourcesOf(await readLedger(undisturbed));
  let steps = 0;
  for (let n = 1, died = true; died; n += 1) {
    const { location, lake } = open(String(n));
    const scratch = join(folder, 'scratch', String(n));
    await mkdir(scratch, { recursive: true });
    died = await diesAt(location, drop, n, scratch);
    const left = sourcesOf(await wholeLedger(lake, scratch));
    expect([[], expected]).toContainEqual(left);
    const report = await ingest({ from: drop, lake, date }, { clock });
    expect(report.delivery).toBe(left.length === 0 ? 1 : null);
    expect(sourcesOf(await wholeLedger(lake, scratch))).toEqual(expected);
    lake.close();
    if (died) steps += 1;
  }
  return steps;
}

describe('an ingest that is killed', () => {
  test('at any step has taken all of the drop or nothing, and a re-run completes', async () => {
    const folder = await temporaryFolder();
    const open = (name: string) => {
      const location = join(folder, 'lakes', name);
      return { location, lake: directoryStore(location) };
    };
    expect(await killEverywhere(folder, open)).toBeGreaterThan(7);
  });

  test('gives way to one that runs at the same time: every drop is taken once', async () => {
    const folder = await temporaryFolder();
    const drops = await Promise.all(
      [1, 2, 3].map((n) =>
        writeDrop(join(folder, `drop-${n}`), { 'runs.ndjson': [sound.runs({ id: runId(n) })] }),
      ),
    );
    const lake = () => directoryStore(join(folder, 'lake'));
    const from = [...drops, ...drops];
    const reports = await Promise.all(
      from.map((drop) => ingest({ from: drop, lake: lake(), date }, { clock })),
    );
    expect(reports.filter(({ delivery }) => delivery !== null)).toHaveLength(3);
    const ledger = await wholeLedger(lake(), folder);
    expect(ledger.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(ledger.map(({ runs }) => runs.map(({ rows }) => rows))).toEqual([[1], [1], [1]]);
  });
});

describeS3('an ingest to S3 that is killed', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  test('at any step has taken all of the drop or nothing, and a re-run completes', async () => {
    expect(await killEverywhere(await temporaryFolder(), inBucket)).toBeGreaterThan(7);
  });

  function inBucket(name: string) {
    return { location: bucket.location(name).url, lake: bucket.store(name) };
  }
});
