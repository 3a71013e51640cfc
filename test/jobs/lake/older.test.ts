import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execute, openDatabase } from '../../../jobs/duckdb.ts';
import { runsKey, trackingKey } from '../../../jobs/lake/layout.ts';
import type { Delivery, LakeObject } from '../../../jobs/lake/ledger.ts';
import { literal, parquetFiles } from '../../../jobs/literals.ts';
import { sha256OfFile } from '../../../lib/hash.ts';
import { answersOf } from '../../reference/reference.ts';
import { AS_OF, REPEATED, testLake } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { ids, mention, runId, sound, tracked } from '../records.ts';

/** Makes the objects of the first delivery what a version without these columns wrote. */
async function makeOlder({ lake, folder }: TestLake): Promise<void> {
  const path = join(lake, 'deliveries/00000001.json');
  const delivery = JSON.parse(await readFile(path, 'utf8')) as Delivery;
  const database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  const rewrite = async (object: LakeObject, without: string, keyOf: (sha256: string) => string) => {
    const copy = join(folder, 'older.parquet');
    const rows = `select * exclude (${without}) from ${parquetFiles([join(lake, object.key)])}`;
    await execute(connection, `copy (${rows}) to ${literal(copy)} (format parquet, compression zstd)`);
    const sha256 = await sha256OfFile(copy);
    const key = keyOf(sha256);
    await writeFile(join(lake, key), await readFile(copy));
    Object.assign(object, { key, sha256, bytes: (await stat(copy)).size });
  };
  for (const object of delivery.runs)
    await rewrite(object, 'model, answer_url, answer_sha256', (hash) => runsKey(object.cycleDate, hash));
  for (const object of delivery.tracking.filter(({ kind }) => kind === 'prompts'))
    await rewrite(object, 'tags', (hash) => trackingKey('prompts', delivery.trackingDate, hash));
  database.close();
  await writeFile(path, `${JSON.stringify(delivery)}\n`);
}

const before = sound.runs({ mentions: [mention()] });
const inTheSameCycle = sound.runs({
  id: runId(2),
  prompt_id: 'dddddddd-0000-4000-8000-000000000002',
  model: 'm-2',
  answer_url: 'https://answers.example/2',
});
const later = sound.runs({
  id: runId(3),
  cycle_date: '2026-11-16',
  ran_at: '2026-11-16T05:00:00Z',
  model: 'm-3',
});

test('a lake from before has no models, tags and links, and takes new runs into the same cycle', async () => {
  const older = await testLake();
  await older.ingested({ ...tracked, 'runs.ndjson': [before] });
  await makeOlder(older);
  expect(await older.answers()).toEqual(referenceOf(older, 1));
  await older.ingested({ 'runs.ndjson': [inTheSameCycle, later] });
  const answers = await older.answers();
  expect(answers).toEqual(referenceOf(older, 2));
  expect(answers[ids.brand]).toMatchObject({
    visibility: { perEngine: [{ models: ['m-3'], modelsChanged: true }] },
    prompts: { prompts: [{ tags: [] }] },
  });
});

test('a run from before is repeated by the same run, and not by one with a model', async () => {
  const older = await testLake();
  await older.ingested({ ...tracked, 'runs.ndjson': [before] });
  await makeOlder(older);
  const report = await older.ingested({
    'runs.ndjson': [before, { ...before, model: 'm-1' }, inTheSameCycle],
  });
  expect(report.files).toMatchObject([{ ingested: 1, repeated: 1, refused: 1 }]);
  expect(report.refusals).toMatchObject([{ reason: REPEATED, records: 1 }]);
});

function referenceOf({ folder }: TestLake, deliveries: number): unknown {
  const delivered = Array.from({ length: deliveries }, (_, index) => ({
    folder: join(folder, `drop-${index + 1}`),
    date: '2026-11-16',
  }));
  return answersOf(delivered, AS_OF).workspaces[ids.workspace];
}
