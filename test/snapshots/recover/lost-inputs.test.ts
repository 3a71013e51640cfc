/** @module-tag long */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { publish, settingsOf } from '../../jobs/jobs.ts';
import { AS_OF, filesBelow, lakeWith } from '../../jobs/lake.ts';
import type { TestLake } from '../../jobs/lake.ts';
import { deliverAll, removed } from '../../jobs/remove/customers.ts';

const newLake = lakeWith(deliverAll);

let given: TestLake;
let settings: Record<string, string>;
beforeEach(async () => {
  given = await newLake();
  const store = join(given.folder, 'store');
  await publish(given.lake, store, AS_OF);
  settings = { ...settingsOf(store), STORE_URL: store, LAKE_URL: given.lake };
});

const run = async (program: 'job' | 'audit', line: string) =>
  await runHere(program, line.split(' '), { settings });
const complete = async (options = '') => await run('audit', `log complete --from-store${options}`);
const verified = async () => (await run('audit', 'verify')).stdout;

/** A new lake in the place of the one that is lost. */
async function loseLake(): Promise<void> {
  await rm(given.lake, { recursive: true });
  expect(await run('job', 'ingest --new-lake')).toMatchObject({ status: 0 });
}

describe('log complete --from-store, for a lake without what the snapshots were computed from', () => {
  test('refuses, lists the first objects, and says what comes first', async () => {
    await loseLake();
    const before = await filesBelow(given.lake);
    const { status, stdout, stderr } = await complete();
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^sightline: \S+lake does not have \d+ objects that 4 snapshots were computed from: mount or restore the lake, .*add --lake-is-lost: these weeks then stay verifiable, and cannot be rebuilt\n/,
    );
    const [, ...lines] = stderr.trimEnd().split('\n');
    for (const line of lines.slice(0, 10)) expect(line).toMatch(/^ {2}(?:runs|tracking)\/\S+\.parquet$/);
    expect(await filesBelow(given.lake)).toEqual(before);
  });

  test('goes on with --lake-is-lost, says which weeks cannot be rebuilt, and everything verifies', async () => {
    await loseLake();
    const { status, stdout } = await complete(' --lake-is-lost');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^The lake does not have \d+ objects that 4 snapshots were computed from: these weeks stay verifiable and cannot be rebuilt, .*\n(?:runs|tracking)\//,
    );
    expect(stdout).toContain('\nThe lake remembers the log of ');
    expect(await verified()).toContain('\nIntact.\n');
    expect(JSON.parse((await complete(' --lake-is-lost --json')).stdout)).toMatchObject({
      lost: { snapshots: 4, objects: expect.arrayContaining([expect.any(String)]) as string[] },
    });
  });

  test('refuses without an object that the ledger names', async () => {
    await rm(join(given.lake, 'runs'), { recursive: true });
    expect(await complete()).toMatchObject({ status: 1 });
  });
});

describe('log complete --from-store goes on without an option', () => {
  test('if the same was delivered again', async () => {
    await loseLake();
    await deliverAll(given);
    expect(await complete()).toMatchObject({ status: 0 });
    await publish(given.lake, join(given.folder, 'store'), AS_OF);
    expect(await verified()).toContain('\nIntact.\n');
  });

  test('if a removal replaced the objects that the snapshots name', async () => {
    expect(await run('job', `remove --workspace ${removed} --yes`)).toMatchObject({ status: 0 });
    await rm(join(given.lake, 'log'), { recursive: true });
    const ended = await complete(' --json');
    expect(ended).toMatchObject({ status: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ lost: { objects: [], snapshots: 0 } });
  });
});
