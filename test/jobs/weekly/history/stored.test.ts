/** @module-tag long */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { weekly } from '../../../../jobs/weekly/weekly.ts';
import type { WeeklyOptions } from '../../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { answersOf } from '../../../reference/reference.ts';
import { filesBelow, testLake } from '../../lake.ts';
import type { TestLake } from '../../lake.ts';
import { answersIn, deliver, logOf } from '../../jobs.ts';
import { ids, mention, runId, sound, tracked } from '../../records.ts';
import type { Fields } from '../../records.ts';

const WEEK_MS = 7 * 86_400_000;
const dateOf = (week: number) => new Date(Date.UTC(2024, 0, 1) + week * WEEK_MS).toISOString().slice(0, 10);
const names = ['Acme', ' acme', 'Globex "the" Corp', 'a\\b', 'tab\there', 'nul\0here', 'Ünïted', '🚀 Go'];

/** Two answers of a week; which names they have depends on it. */
function runsOf(week: number): Fields[] {
  const date = dateOf(week);
  return ['perplexity', 'chatgpt'].map((engine, at) =>
    sound.runs({
      id: runId(2 * week + at),
      engine,
      cycle_date: date,
      ran_at: `${date}T08:00:00Z`,
      mentions: names
        .filter((_, n) => (week + at) % (n + 1) === 0)
        .map((name, n) => mention({ name, position: n + 1, subject: n < 2 ? 'brand' : 'other' })),
    }),
  );
}

async function deliverWeeks(lake: TestLake, from: number, to: number) {
  const runs = Array.from({ length: to - from }, (_, n) => runsOf(from + n)).flat();
  const files = { ...tracked, 'runs.ndjson': runs };
  const delivery = { folder: await lake.dropOf(files), date: dateOf(0) };
  await deliver(lake.lake, delivery);
  return delivery;
}

/** The snapshot's id, and what was warned of. */
async function publishWeek(lake: TestLake, week: number, options: Partial<WeeklyOptions> = {}) {
  const warnings: string[] = [];
  const asOf = parseInstant(`${dateOf(week)}T23:00:00Z`)!;
  const report = await weekly(
    { lake: directoryStore(lake.lake), ...logOf(join(lake.folder, 'store')), asOf, ...options },
    { onWarning: (message) => warnings.push(message) },
  );
  return { id: report.snapshots[0]?.snapshotId, warnings };
}

/** The last cycles of the bases of this version. */
async function ownDates(lake: TestLake): Promise<string[]> {
  const own = (await storedFiles(lake)).filter((path) => /(?<!\/v5\/.*)\/base\.json$/.test(path));
  return own.flatMap((path) => /through=([0-9-]+)/.exec(path)?.[1] ?? []);
}

const storedFiles = async (lake: TestLake) => await filesBelow(join(lake.lake, 'bases'));

describe('stored bases', () => {
  test('say of 70 weeks what the runs say, whatever part of them was stored', async () => {
    const lake = await testLake();
    const first = await deliverWeeks(lake, 0, 40);
    await publishWeek(lake, 39);
    const second = await deliverWeeks(lake, 40, 70);
    const { id } = await publishWeek(lake, 69);
    expect(await publishWeek(lake, 69, { full: true })).toEqual({ id, warnings: [] });
    const expected = answersOf([first, second], `${dateOf(69)}T23:00:00Z`);
    expect({ [ids.workspace]: await answersIn(join(lake.folder, 'store'), ids.workspace) }).toEqual(
      expected.workspaces,
    );
  });

  test('take a late delivery to an earlier cycle: the newest two cycles of each engine are published', async () => {
    const lake = await testLake();
    const first = await deliverWeeks(lake, 0, 4);
    await publishWeek(lake, 3);
    // Week 0 and 1 are the newest two of this engine; in week 1 the brand comes second in one answer, fourth in another.
    const late = [0, 1, 1].map((week, n) => {
      const named = mention({ name: 'Acme', position: 2 + 2 * n, subject: 'brand' });
      const answer = { cycle_date: dateOf(week), ran_at: `${dateOf(week)}T09:00:00Z`, engine: 'claude' };
      return sound.runs({ ...answer, id: runId(1000 + n), mentions: n === 0 ? [] : [named] });
    });
    const second = { folder: await lake.dropOf({ 'runs.ndjson': late }), date: dateOf(0) };
    await deliver(lake.lake, second);
    const { id } = await publishWeek(lake, 3);
    expect((await publishWeek(lake, 3, { full: true })).id).toBe(id);
    const answers = await answersIn(join(lake.folder, 'store'), ids.workspace);
    expect({ [ids.workspace]: answers }).toEqual(
      answersOf([first, second], `${dateOf(3)}T23:00:00Z`).workspaces,
    );
    expect(JSON.stringify(answers)).toContain(
      `{"slug":"claude","date":"${dateOf(1)}","isNamed":true,"position":4,"previousDate":"${dateOf(0)}","wasNamed":false,"previousPosition":null,"change":"won","evidence":[]}`,
    );
  });

  test('are verified: whatever happens to a file, its runs are reduced again, and it is stored again', async () => {
    const lake = await testLake();
    await deliverWeeks(lake, 0, 2);
    await publishWeek(lake, 1);
    await deliverWeeks(lake, 2, 3);
    const { id } = await publishWeek(lake, 2, { full: true });
    const used = (await storedFiles(lake)).filter((path) => path.includes(`/through=${dateOf(1)}/`));
    expect(used.map((path) => basename(path).replace(/-.*/, '')).toSorted()).toEqual([
      'base.json',
      'evidence',
      'models',
      'names',
      'outside_runs',
      'results',
      'scores',
      'series',
      'spellings',
    ]);
    const stored = new Map(
      await Promise.all(used.map(async (path) => [path, await readFile(path)] as const)),
    );
    const harms: ((bytes: Buffer) => Buffer | null)[] = [
      () => null,
      (bytes) => bytes.subarray(0, bytes.length / 2),
      (bytes) => bytes.with(bytes.length / 3, bytes.at(bytes.length / 3)! ^ 1) as Buffer,
    ];
    for (const [index, [path, bytes]] of [...stored].entries()) {
      // What is not named by another file is harmed in every way, the others in turn.
      for (const harm of basename(path) === 'base.json' ? harms : [harms[index % harms.length]!]) {
        const harmed = harm(bytes);
        if (harmed === null) await rm(path);
        else await writeFile(path, harmed);
        const found = await publishWeek(lake, 2, { workspaces: [ids.workspace] });
        expect(found.id).toBe(id);
        // Without its base.json there is no base.
        const isKnown = harmed !== null || basename(path) !== 'base.json';
        expect(found.warnings.map((text) => text.includes(dirname(path).slice(lake.lake.length)))).toEqual(
          isKnown ? [true] : [],
        );
        await writeFile(path, bytes);
      }
    }
    for (const path of used) await writeFile(path, 'x');
    expect((await publishWeek(lake, 2)).warnings).toHaveLength(1);
    await rm(join(lake.lake, 'bases'), { recursive: true });
    expect(await publishWeek(lake, 2)).toEqual({ id, warnings: [] });
  });

  test('of another version or scope go five weeks after their last cycle, and old bases after four', async () => {
    const lake = await testLake();
    const put = async (key: string) => {
      const path = join(lake.lake, key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, 'x');
    };
    const gone = [`bases/v4/all/through=${dateOf(1)}/b/names.parquet`];
    const kept = [`bases/v5/all/through=${dateOf(5)}/d/base.json`];
    for (const key of [...gone, ...kept]) await put(key);
    for (let week = 0; week < 8; week++) {
      await deliverWeeks(lake, week, week + 1);
      await publishWeek(lake, week);
    }
    const stored = (await storedFiles(lake)).map((path) => path.slice(lake.lake.length + 1));
    expect(stored.filter((key) => key.includes('/v'))).toEqual(kept);
    expect(await ownDates(lake)).toEqual([4, 5, 6, 7].map(dateOf));
  });

  test('of earlier cycles stay, however often runs are delivered late', async () => {
    const lake = await testLake();
    for (let week = 0; week < 5; week++) {
      await deliverWeeks(lake, week, week + 1);
      await publishWeek(lake, week);
    }
    for (let late = 0; late < 6; late++) {
      const run = sound.runs({
        id: runId(100 + late),
        cycle_date: dateOf(4),
        ran_at: `${dateOf(4)}T09:00:00Z`,
      });
      const folder = await lake.dropOf({ 'runs.ndjson': [run] });
      await deliver(lake.lake, { folder, date: dateOf(0) });
      await publishWeek(lake, 4);
      expect(await ownDates(lake)).toEqual([1, 2, 3, 4].map(dateOf));
    }
  });
});
