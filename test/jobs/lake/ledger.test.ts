import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { publish } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { runId, sound, tracked } from '../records.ts';

const runs = (n: number) => ({ 'runs.ndjson': [sound.runs({ id: runId(n) })] });

const newLake = lakeWith(async ({ ingested }) => {
  await ingested({ ...tracked, ...runs(1) });
  await ingested(runs(2));
  await ingested(runs(3));
});

describe('a ledger of three deliveries', () => {
  let given: TestLake;
  const path = (number: number) => join(given.lake, 'deliveries', `0000000${number}.json`);
  const edit = async (number: number, change: (text: string) => string) =>
    await writeFile(path(number), change(await readFile(path(number), 'utf8')));
  const swap = async (a: number, b: number) => {
    await rename(path(a), `${given.folder}/kept`);
    await rename(path(b), path(a));
    await rename(`${given.folder}/kept`, path(b));
  };

  beforeEach(async () => {
    given = await newLake();
  });

  test.each<[string, () => Promise<void>, RegExp]>([
    ['missing', async () => await rm(path(2)), /: delivery 2 is missing \(/],
    [
      'exchanged with another',
      async () => await swap(2, 3),
      /00000002\.json is not the delivery .* number 3$/,
    ],
    [
      'changed',
      async () => await edit(1, (text) => text.replace('2026-11-16', '2026-11-09')),
      /00000002\.json does not name the delivery before it/,
    ],
    ['not one', async () => await writeFile(path(3), '{}'), /00000003\.json cannot be read: .*format/s],
  ])('of which one is %s: ingest and weekly end with the same clear failure', async (_, harm, expected) => {
    await harm();
    const before = await filesBelow(given.lake);
    await expect(given.ingested(runs(4))).rejects.toThrow(expected);
    await expect(publish(given.lake, join(given.folder, 'store'), AS_OF)).rejects.toThrow(expected);
    expect(await filesBelow(given.lake)).toEqual(before);
    expect(await filesBelow(join(given.folder, 'store'))).toEqual([]);
  });
});
