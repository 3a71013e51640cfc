/** @module-tag long */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { DemoOptions } from '../../../jobs/demo/demo.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { lastWeeks } from './drift.ts';
import { bytesOf, readDrop } from './drop-records.ts';
import type { DropRecords } from './drop-schema.ts';

const folderOfFile = temporaryFolders();

const usual: Omit<DemoOptions, 'to'> = {
  seed: 1,
  workspaces: 3,
  brands: 12,
  prompts: 10,
  cycles: 12,
  asOf: parseInstant('2026-11-21T10:00:00.123456Z')!,
};
const small: typeof usual = { ...usual, workspaces: 1, brands: 2, prompts: 3, cycles: 2 };

async function made(options: typeof usual, newFolder = temporaryFolder): Promise<string> {
  const to = join(await newFolder(), 'drop');
  await makeDemo({ ...options, to });
  return to;
}

describe('the usual drop', () => {
  let drop: DropRecords;
  beforeAll(async () => {
    drop = await readDrop(await made(usual, folderOfFile));
  });

  test('holds as many workspaces, brands and prompts as were asked for', () => {
    expect([drop.workspaces.length, drop.brands.length, drop.prompts.length]).toEqual([3, 12, 120]);
  });

  test('gives every brand five to eight competitors', () => {
    const counts = drop.brands.map(
      ({ id }) => drop.competitors.filter(({ brand_id }) => brand_id === id).length,
    );
    expect(counts.every((count) => count >= 5 && count <= 8)).toBe(true);
  });

  test('names nothing that it does not hold', () => {
    const workspaces = new Set(drop.workspaces.map(({ id }) => id));
    const brands = new Set(drop.brands.map(({ id }) => id));
    const prompts = new Map(drop.prompts.map(({ id, brand_id }) => [id, brand_id]));
    const competitors = new Map(drop.competitors.map(({ id, brand_id }) => [id, brand_id]));
    expect(drop.brands.filter(({ workspace_id }) => !workspaces.has(workspace_id))).toEqual([]);
    expect(drop.prompts.filter(({ brand_id }) => !brands.has(brand_id))).toEqual([]);
    expect(drop.runs.filter((run) => prompts.get(run.prompt_id) !== run.brand_id)).toEqual([]);
    const strangers = drop.runs.flatMap((run) =>
      run.mentions.filter(
        (m) => m.competitor_id !== null && competitors.get(m.competitor_id) !== run.brand_id,
      ),
    );
    expect(strangers).toEqual([]);
  });

  test('gives every record an id of its own', () => {
    const ids = Object.values(drop).flatMap((records) => records.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('gives no brand two names that a reader could mix up', () => {
    const names = [...drop.brands, ...drop.competitors].map(({ name }) => name);
    expect(new Set(drop.brands.map(({ name }) => name)).size).toBe(12);
    for (const { name } of drop.brands) expect(names.filter((other) => other === name)).toHaveLength(1);
  });

  test('runs weekly, on the last twelve Mondays, and never after the as-of instant', () => {
    const cycles = [...new Set(drop.runs.map(({ cycle_date }) => cycle_date))].toSorted();
    expect(cycles).toHaveLength(12);
    expect(cycles.at(-1)).toBe('2026-11-16');
    expect(cycles.every((date) => new Date(date).getUTCDay() === 1)).toBe(true);
    expect(drop.runs.every((run) => parseInstant(run.ran_at)! <= usual.asOf)).toBe(true);
    expect(drop.runs.every((run) => run.ran_at.startsWith(run.cycle_date))).toBe(true);
  });

  test('puts every prompt that runs to each of the eight engines once a cycle', () => {
    const asked = Map.groupBy(drop.runs, ({ prompt_id, cycle_date }) => `${prompt_id} ${cycle_date}`);
    for (const runs of asked.values()) {
      expect(runs).toHaveLength(8);
      expect(new Set(runs.map(({ engine }) => engine)).size).toBe(8);
    }
  });

  test('does not run a paused prompt any more', () => {
    const last = new Set(
      drop.runs.filter(({ cycle_date }) => cycle_date === '2026-11-16').map(({ prompt_id }) => prompt_id),
    );
    const paused = drop.prompts.filter(({ is_active }) => !is_active);
    expect(paused.length).toBeGreaterThan(0);
    expect(drop.prompts.filter(({ id, is_active }) => last.has(id) !== is_active)).toEqual([]);
  });

  test('counts positions from one and repeats none', () => {
    for (const { mentions } of drop.runs) {
      expect(mentions.map(({ position }) => position)).toEqual(mentions.map((_, index) => index + 1));
    }
  });

  test('has an alert in each workspace: one engine of one brand outside its drift band in the last week', () => {
    const outside = lastWeeks(drop.runs).filter(({ score, low, high }) => score < low || score > high);
    const owners = new Map(drop.brands.map(({ id, workspace_id }) => [id, workspace_id]));
    const alerted = new Set(outside.map(({ brandId }) => owners.get(brandId)));
    expect(alerted).toEqual(new Set(drop.workspaces.map(({ id }) => id)));
    expect(outside).toHaveLength(drop.workspaces.length);
    for (const { low, score } of outside) expect(low - score).toBeGreaterThan(20);
  });

  test('has a new model behind one engine in the last week, and an event that says so', () => {
    const models = (isLast: boolean) =>
      new Set(
        drop.runs
          .filter(({ cycle_date }) => (cycle_date === '2026-11-16') === isLast)
          .map(({ model }) => model),
      );
    const fresh = [...models(true).difference(models(false))];
    const changed = drop.events.flatMap(({ engine }) => (engine === null ? [] : [engine]));
    expect(fresh).toEqual([`${changed[0]}-2`]);
    expect(changed).toHaveLength(1);
    expect(new Set(drop.prompts.flatMap(({ tags }) => tags))).toEqual(new Set(['discovery', 'comparison']));
  });

  test('holds failed runs, silent ones, and one engine that fell silent for one brand three weeks ago', () => {
    expect(drop.runs.some(({ status }) => status === 'failed')).toBe(true);
    expect(drop.runs.some(({ status, engine }) => status === 'no_answer' && engine === 'ai_overview')).toBe(
      true,
    );
    const aiMode = Map.groupBy(
      drop.runs.filter(({ engine }) => engine === 'ai_mode'),
      ({ brand_id }) => brand_id,
    );
    const recent = new Set([...new Set(drop.runs.map(({ cycle_date }) => cycle_date))].toSorted().slice(-3));
    const silent = [...aiMode.values()].filter((runs) =>
      runs.filter((run) => recent.has(run.cycle_date)).every(({ status }) => status === 'no_answer'),
    );
    expect(silent).toHaveLength(1);
    expect(silent[0]!.some(({ status }) => status === 'success')).toBe(true);
  });

  test('has about six mentions an answer, more than one citation a run, and the own site among them', () => {
    const answered = drop.runs.filter(({ status }) => status === 'success');
    const mentions = answered.flatMap((run) => run.mentions).length / answered.length;
    const citations = drop.runs.flatMap((run) => run.citations).length / drop.runs.length;
    expect(mentions).toBeGreaterThan(5);
    expect(mentions).toBeLessThan(8);
    expect(citations).toBeGreaterThan(1);
    expect(citations).toBeLessThan(1.5);
    for (const { id, domain } of drop.brands) {
      const host = /[a-z-]+\.example/.exec(domain)![0];
      const cited = drop.runs.filter(({ brand_id }) => brand_id === id).flatMap((run) => run.citations);
      expect(cited.some(({ url }) => new URL(url).hostname === `www.${host}`)).toBe(true);
    }
  });
});

test('names one brand about half as often on one engine since four weeks, if it has the prompts to judge that', async () => {
  const drop = await readDrop(await made({ ...usual, workspaces: 1, brands: 4, prompts: 24 }));
  const cycles = [...new Set(drop.runs.map(({ cycle_date }) => cycle_date))].toSorted();
  const named = drop.brands.map(({ id }) => {
    const answers = drop.runs.filter(
      (run) => run.brand_id === id && run.engine === 'perplexity' && run.status === 'success',
    );
    const rate = (part: readonly string[]) => {
      const own = answers.filter(({ cycle_date }) => part.includes(cycle_date));
      return own.filter(({ mentions }) => mentions.some((m) => m.subject === 'brand')).length / own.length;
    };
    return rate(cycles.slice(-4)) / rate(cycles.slice(0, -4));
  });
  expect(named.filter((ratio) => ratio < 0.65)).toHaveLength(1);
});

test('is the same, byte for byte, with the same seed', async () => {
  expect(await bytesOf(await made(small))).toEqual(await bytesOf(await made(small)));
});

test('differs in every file with another seed', async () => {
  const [one, two] = [await made(small), await made({ ...small, seed: 2 })];
  const [former, latter] = [await bytesOf(one), await bytesOf(two)];
  expect(former.map(([file]) => file)).toEqual(latter.map(([file]) => file));
  for (const [index, [, bytes]] of former.entries()) expect(bytes.equals(latter[index]![1])).toBe(false);
});

test.each([
  { brands: 1, prompts: 1, cycles: 1 },
  { brands: 2, prompts: 6, cycles: 5 },
  { brands: 7, prompts: 40, cycles: 6 },
  { workspaces: 5, brands: 3, prompts: 5, cycles: 20 },
])('keeps to the contract, with one alert in each workspace from five cycles on: %o', async (sizes) => {
  const drop = await readDrop(await made({ ...small, ...sizes }));
  expect(drop.brands).toHaveLength(sizes.brands);
  expect(drop.prompts).toHaveLength(sizes.brands * sizes.prompts);
  expect(new Set(drop.runs.map(({ cycle_date }) => cycle_date)).size).toBe(sizes.cycles);
  const outside = lastWeeks(drop.runs).filter(({ score, low, high }) => score < low || score > high);
  expect(outside).toHaveLength(
    sizes.cycles < 5 ? 0 : new Set(drop.brands.map((brand) => brand.workspace_id)).size,
  );
});

test('made on a Monday at midnight, nothing ran later than that', async () => {
  const drop = await readDrop(await made({ ...small, asOf: parseInstant('2026-11-16T00:00:00Z')! }));
  const last = drop.runs.filter(({ cycle_date }) => cycle_date === '2026-11-16');
  expect(new Set(last.map(({ ran_at }) => ran_at))).toEqual(new Set(['2026-11-16T00:00:00.000Z']));
});

test('refuses a folder that is not empty, by name, and leaves it alone', async () => {
  const to = await temporaryFolder();
  await writeFile(join(to, 'runs-2026.ndjson.gz'), 'mine');
  await expect(makeDemo({ ...small, to })).rejects.toThrow(
    `${to} is not empty (it contains runs-2026.ndjson.gz)`,
  );
  expect(await bytesOf(to)).toEqual([['runs-2026.ndjson.gz', Buffer.from('mine')]]);
});

test('fills an empty folder, and a failure half way leaves nothing behind', async () => {
  const to = await temporaryFolder();
  await expect(makeDemo({ ...small, to }, fail)).rejects.toThrow('out of luck');
  expect(await readdir(to)).toEqual([]);
  await makeDemo({ ...small, to });
  expect(await readdir(to)).toHaveLength(5 + small.cycles);
});

function fail(): never {
  throw new Error('out of luck');
}
