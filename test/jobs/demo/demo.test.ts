/** @module-tag long */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { DemoOptions } from '../../../jobs/demo/demo.ts';
import type { IngestReport } from '../../../jobs/ingest/report.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { formatInstant, parseInstant } from '../../../lib/methodology/instant.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { answersIn, deliver, publish } from '../jobs.ts';

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

type Brand = Documents;

/** What is published of a demo: its workspaces, each with its brands. */
async function published(options: typeof usual, newFolder = temporaryFolder) {
  const folder = await made(options, newFolder);
  const [lake, store] = [join(folder, '../lake'), join(folder, '../store')];
  const ingested = await deliver(lake, { folder, date: '2026-11-16' });
  const { snapshots } = await publish(lake, store, formatInstant(options.asOf));
  const workspaces = await Promise.all(
    snapshots.map(async ({ workspaceId }) => {
      const { brands: _, week: __, ...brands } = await answersIn(store, workspaceId);
      return Object.values(brands) as Brand[];
    }),
  );
  return { folder, ingested, workspaces };
}

/** The records that ingest took, by kind; none may be refused. */
function countsOf({ files, refusals }: IngestReport): Record<string, number> {
  expect(refusals).toEqual([]);
  const kinds = Map.groupBy(files, ({ kind }) => kind);
  return Object.fromEntries(
    [...kinds].map(([kind, all]) => [kind, all.reduce((sum, { ingested }) => sum + ingested, 0)]),
  );
}

const alertsOf = (brands: readonly Brand[]) => brands.flatMap(({ visibility }) => visibility.alerts);

interface Run {
  cycle_date: string;
  ran_at: string;
  model: string;
}

async function runsIn(folder: string): Promise<Run[]> {
  const files = (await readdir(folder)).filter((file) => file.startsWith('runs'));
  const texts = await Promise.all(files.map(async (file) => await readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Run);
}

describe('the usual drop', () => {
  let demo: Awaited<ReturnType<typeof published>>;
  let brands: Brand[];
  beforeAll(async () => {
    demo = await published(usual, folderOfFile);
    brands = demo.workspaces.flat();
  });

  test('holds as many workspaces, brands and prompts as were asked for, and ingest refuses nothing', () => {
    const { runs, competitors, ...counts } = countsOf(demo.ingested);
    expect(counts).toMatchObject({ workspaces: 3, brands: 12, prompts: 120 });
    expect(demo.workspaces.map(({ length }) => length)).toEqual([4, 4, 4]);
    expect(runs).toBeGreaterThan(100 * 8 * 11);
    expect(competitors).toBeGreaterThan(12 * 4);
  });

  test('has an alert in each workspace: one engine of one brand far below its drift band in the last week', () => {
    for (const workspace of demo.workspaces) expect(alertsOf(workspace)).toHaveLength(1);
    const fallen = brands
      .flatMap(({ visibility }) => visibility.perEngine)
      .filter(({ isSignificant }) => isSignificant);
    for (const { score, bandLow } of fallen) expect(bandLow! - score).toBeGreaterThan(20);
  });

  test('shows no name twice, competitors, an own site, answers that are missing, and prompts that are paused', () => {
    const names = brands.flatMap(({ competitors }) => competitors.shareOfVoice.map(({ name }) => name));
    expect(new Set(brands.map(({ prompts }) => prompts.brand.name)).size).toBe(12);
    for (const { prompts } of brands)
      expect(names.filter((name) => name === prompts.brand.name)).toHaveLength(1);
    for (const { competitors, sources } of brands) {
      expect(competitors.shareOfVoice.length).toBeGreaterThanOrEqual(6);
      expect(competitors.shareOfVoice.length).toBeLessThanOrEqual(9);
      expect(sources.ownSite).not.toBeNull();
    }
    const rates = brands.flatMap(({ visibility }) => visibility.perEngine.map((each) => each.noAnswerRate));
    expect(rates.some((rate) => rate !== null)).toBe(true);
    const prompts = brands.flatMap((brand) => brand.prompts.prompts);
    expect(prompts.some(({ isActive }) => !isActive)).toBe(true);
    expect(new Set(prompts.flatMap(({ tags }) => tags))).toEqual(new Set(['discovery', 'comparison']));
  });

  test('has a new model behind one engine in the last week, and an event that says so', async () => {
    const runs = await runsIn(demo.folder);
    const models = (isLast: boolean) =>
      new Set(runs.filter((run) => (run.cycle_date === '2026-11-16') === isLast).map(({ model }) => model));
    const fresh = [...models(true).difference(models(false))];
    const changed = new Set(
      brands.flatMap(({ visibility }) => visibility.events.flatMap(({ slug }) => slug ?? [])),
    );
    expect(fresh).toEqual([`${[...changed][0]}-2`]);
    expect(changed.size).toBe(1);
  });
});

/** The names and the bytes of a folder's files. */
async function bytesOf(folder: string): Promise<[string, Buffer][]> {
  const files = (await readdir(folder)).toSorted();
  return await Promise.all(
    files.map(async (file): Promise<[string, Buffer]> => [file, await readFile(join(folder, file))]),
  );
}

test('is the same, byte for byte, with the same seed, and differs in every file with another', async () => {
  const [one, same, other] = [await made(small), await made(small), await made({ ...small, seed: 2 })];
  const [former, latter] = [await bytesOf(one), await bytesOf(other)];
  expect(await bytesOf(same)).toEqual(former);
  expect(former.map(([file]) => file)).toEqual(latter.map(([file]) => file));
  for (const [index, [, bytes]] of former.entries()) expect(bytes.equals(latter[index]![1])).toBe(false);
});

test.each([
  { workspaces: 1, brands: 1, prompts: 1, cycles: 1 },
  { workspaces: 1, brands: 2, prompts: 6, cycles: 5 },
  { workspaces: 5, brands: 3, prompts: 5, cycles: 20 },
])('keeps to the contract, with one alert in each workspace from five cycles on: %o', async (sizes) => {
  const { ingested, workspaces } = await published({ ...small, ...sizes });
  expect(countsOf(ingested)).toMatchObject({
    brands: sizes.brands,
    prompts: sizes.brands * sizes.prompts,
  });
  const withBrands = workspaces.filter(({ length }) => length > 0);
  for (const brands of withBrands) expect(alertsOf(brands)).toHaveLength(sizes.cycles < 5 ? 0 : 1);
});

test('made on a Monday at midnight, nothing ran later than that', async () => {
  const runs = await runsIn(await made({ ...small, asOf: parseInstant('2026-11-16T00:00:00Z')! }));
  const last = runs.filter(({ cycle_date }) => cycle_date === '2026-11-16');
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

function fail(): never {
  throw new Error('out of luck');
}

test('fills an empty folder, and a failure half way leaves nothing behind', async () => {
  const to = await temporaryFolder();
  await expect(makeDemo({ ...small, to }, fail)).rejects.toThrow('out of luck');
  expect(await readdir(to)).toEqual([]);
  await makeDemo({ ...small, to });
  expect(await readdir(to)).toHaveLength(5 + small.cycles);
});
