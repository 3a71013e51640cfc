/** @module-tag black-box */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { deliver } from './adapters/deliver.ts';
import { documentsOf, ORIGIN, publish, publishDocuments, testLog } from './adapters/publish.ts';
import { createKey, openRecords, setPlan } from './adapters/read-over-http.ts';
import { ask, bearer } from './gateway/ask.ts';
import { startGatewayProcess } from './support/program.ts';
import { asOfCase, documentKinds, expectedText, goldenFolders, goldenPath } from './golden/cases.ts';
import { parquetDrop } from './golden/parquet.ts';
import { isOrdered, placementOf } from './golden/promises.ts';
import type { Competitors, Prompts, Sources, Stability, Visibility } from './golden/promises.ts';
import { temporaryFolder, temporaryFolders } from './support/folder.ts';

const newFolder = temporaryFolders();

/** By workspace: `brands`, `week`, and the documents by brand, each as the `data` of a response. */
type Expected = Record<string, Record<string, Record<string, unknown>>>;

const expectedOf = (name: string) => JSON.parse(expectedText(name)) as Expected;
const workspacesOf = (name: string) => Object.keys(expectedOf(name));

const bodyOf = (data: unknown) => ({ status: 200, text: `${JSON.stringify({ data })}\n` });

const published = async (name: string, below: string) =>
  await Promise.all(workspacesOf(name).map((id) => documentsOf(below, id)));

let folder: string;
/** One store with the documents of every case, for the gateway: no two share a workspace. */
let store: string;
let publicKey: string;

beforeAll(async () => {
  folder = await newFolder();
  store = join(folder, 'store');
  const log = await testLog(folder);
  publicKey = log.keys.publicKey;
  for (const name of goldenFolders) {
    await ingested(goldenPath(name, 'drop'), lakeOf(name));
    await publish(lakeOf(name), storeOf(name), asOfCase(name), { threads: 1 });
    for (const workspaceId of workspacesOf(name)) {
      const documents = [...(await documentsOf(storeOf(name), workspaceId))];
      const encoded = documents.map(([path, bytes]) => ({ path, bytes }));
      await publishDocuments(log, workspaceId, '2026-11-16T06:00:00.000Z', encoded);
    }
  }
});

describe('over HTTP, the gateway returns the exact bytes of every golden case', () => {
  let url: string;
  let keys: Map<string, string>;

  beforeAll(async () => {
    keys = await keysFor(folder, goldenFolders.flatMap(workspacesOf));
    const settings = {
      STORE_URL: store,
      LOG_ORIGIN: ORIGIN,
      PUBLIC_KEY_FILE: publicKey,
      RECORDS_URL: `sqlite:${join(folder, 'records.db')}`,
      HOST: '127.0.0.1',
    };
    const gateway = await startGatewayProcess(settings);
    url = gateway.url;
    return async () => {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
    };
  });

  test.each(goldenFolders)('%s', async (name) => {
    for (const [workspaceId, { brands, week, ...documents }] of Object.entries(expectedOf(name))) {
      const get = async (path: string) => {
        const headers = bearer(keys.get(workspaceId)!);
        const { status, text } = await ask(url, `/api/v1${path}`, { headers });
        return { status, text };
      };
      expect(await get('/brands')).toEqual(bodyOf(brands));
      expect(await get('/week')).toEqual(bodyOf(week));
      for (const [brandId, data] of Object.entries(documents)) {
        expect(Object.keys(data)).toEqual(documentKinds);
        for (const kind of documentKinds)
          expect(await get(`/brands/${brandId}/${kind}`)).toEqual(bodyOf(data[kind]));
      }
    }
  });
});

describe('of every golden case the published', () => {
  test('overallVisibility is the mean of the scores of the engines, and 0 if nothing has run', async () => {
    const documents = await documentsOfKind<Visibility>('visibility');
    for (const { overallVisibility, perEngine } of documents) {
      const mean = perEngine.reduce((sum, { score }) => sum + score, 0) / (perEngine.length || 1);
      expect(Math.abs(overallVisibility - mean)).toBeLessThan(0.11); // the mean of scores before they are rounded
    }
    expect(documents.some(({ perEngine }) => perEngine.length === 0)).toBe(true);
  });

  test('engine warms up until it has four scores before; then it has a band, and alerts if it is outside', async () => {
    for (const { perEngine, trend, alerts } of await documentsOfKind<Visibility>('visibility')) {
      // A longer trend lacks the oldest scores.
      const isWhole = Object.values(trend).flat().length < 120;
      for (const { slug, isWarmingUp } of isWhole ? perEngine : [])
        expect([slug, isWarmingUp]).toEqual([slug, trend[slug]!.length - 1 < 4]);
      for (const { isWarmingUp, bandLow, bandHigh, isSignificant, score } of perEngine) {
        expect([bandLow === null, bandHigh === null]).toEqual([isWarmingUp, isWarmingUp]);
        const isOutside = bandLow !== null && (score < bandLow || score > bandHigh!);
        expect(isSignificant).toBe(isOutside);
      }
      const significant = perEngine.filter(({ isSignificant }) => isSignificant);
      expect(alerts.map(({ slug }) => slug)).toEqual(significant.map(({ slug }) => slug));
    }
  });

  test('trend is at most the 120 newest scores of all engines, oldest first', async () => {
    const trends = (await documentsOfKind<Visibility>('visibility')).map(({ trend }) => Object.values(trend));
    expect(Math.max(...trends.map((trend) => trend.flat().length))).toBe(120);
    for (const points of trends.flat()) {
      const dates = points.map(({ date }) => date);
      expect(dates).toEqual([...new Set(dates)].toSorted());
    }
  });

  test('placements follow the share of cycles, of at least four; the core has at most five names', async () => {
    const engines = (await documentsOfKind<Stability>('stability')).flatMap(({ minCycles, prompts }) => {
      expect(minCycles).toBe(4);
      return prompts.flatMap((prompt) => prompt.engines);
    });
    for (const engine of engines) {
      expect(engine.isWarmingUp).toBe(engine.cyclesObserved < 4);
      expect(engine.brandPlacement).toBe(placementOf(engine.brandStability));
      expect(engine.core.every(({ stability }) => placementOf(stability) === 'core')).toBe(true);
      for (const names of [engine.core, engine.carousel])
        expect(isOrdered(names, ({ stability }) => [-stability])).toBe(true);
    }
    expect(Math.max(...engines.map(({ core }) => core.length))).toBe(5);
  });

  test('share of voice has most mentions first, with intervals that say what is tied with the brand', async () => {
    for (const { shareOfVoice, totalMentions } of await documentsOfKind<Competitors>('competitors')) {
      expect(isOrdered(shareOfVoice, ({ mentions }) => [-mentions])).toBe(true);
      expect(shareOfVoice.reduce((sum, { mentions }) => sum + mentions, 0)).toBe(totalMentions);
      expect(shareOfVoice.filter(({ isBrand }) => isBrand)).toMatchObject([{ tiedWithBrand: false }]);
      for (const { lowPct, highPct, halfWidthPp } of shareOfVoice)
        expect(Math.abs(halfWidthPp - (highPct - lowPct) / 2)).toBeLessThan(0.11);
    }
  });

  test('sources are at most 20, by the gap, then by citations', async () => {
    const lists = (await documentsOfKind<Sources>('sources')).map(({ sources }) => sources);
    expect(Math.max(...lists.map(({ length }) => length))).toBe(20);
    for (const sources of lists) {
      expect(isOrdered(sources, ({ gap, count }) => [-gap, -count])).toBe(true);
      for (const { gap, competitorMentions, brandMentions } of sources)
        expect(gap).toBe(competitorMentions - brandMentions);
    }
  });

  test('prompts contain paused ones, oldest first; stability leaves paused ones out', async () => {
    const lists = (await documentsOfKind<Prompts>('prompts')).map(({ prompts }) => prompts);
    const stabilities = await documentsOfKind<Stability>('stability');
    for (const [brand, prompts] of lists.entries()) {
      expect(isOrdered(prompts, ({ createdAt }) => [Date.parse(createdAt)])).toBe(true);
      const active = new Set(prompts.flatMap(({ id, isActive }) => (isActive ? [id] : [])));
      expect(stabilities[brand]!.prompts.filter(({ promptId }) => !active.has(promptId))).toEqual([]);
    }
    expect(lists.flat().filter(({ isActive }) => !isActive).length).toBeGreaterThan(10);
  });

  test('fields that can be null are always there', async () => {
    for (const { perEngine, signals } of await documentsOfKind<Visibility>('visibility')) {
      for (const engine of perEngine) expect(engine).toHaveProperty('noAnswerRate');
      expect(signals).toHaveProperty('avgPosition');
      expect([signals.netSentiment === null, signals.avgPosition === null]).toEqual(
        signals.mentions === 0 ? [true, true] : [false, false],
      );
    }
  });
});

// Random drops are zipped half of the time, and computed on several threads.
test.each(['small', 'rich', 'unicode'])(
  'from a drop in Parquet, golden case %s has the same bytes',
  { tags: ['long'] },
  async (name) => {
    const below = join(await temporaryFolder(), 'case');
    await ingested(await parquetDrop(goldenPath(name, 'drop'), join(below, 'drop')), join(below, 'lake'));
    await publish(join(below, 'lake'), join(below, 'store'), asOfCase(name));
    expect(await published(name, join(below, 'store'))).toEqual(await published(name, storeOf(name)));
  },
);

/** All published documents of a kind. */
async function documentsOfKind<Data>(kind: string): Promise<Data[]> {
  const cases = await Promise.all(goldenFolders.map(async (name) => await published(name, storeOf(name))));
  const documents = cases.flat().flatMap((ofWorkspace) => [...ofWorkspace]);
  const ofKind = documents.filter(([path]) => /^brands\/[^/]+\/([a-z]+)\.json$/.exec(path)?.[1] === kind);
  return ofKind.map(([, bytes]) => (JSON.parse(bytes.toString()) as { data: Data }).data);
}

function storeOf(name: string): string {
  return join(folder, 'stores', name);
}

function lakeOf(name: string): string {
  return join(folder, 'lakes', name);
}

async function ingested(drop: string, lake: string): Promise<void> {
  const { refusals, files } = await deliver(lake, { folder: drop, date: '2026-11-16' });
  expect(refusals).toEqual([]);
  expect(files).toHaveLength((await readdir(drop)).length);
}

async function keysFor(below: string, workspaces: readonly string[]): Promise<Map<string, string>> {
  const opened = openRecords(below);
  const keys = new Map<string, string>();
  for (const id of workspaces) {
    await setPlan(opened, id, 'agency', 1_000_000);
    keys.set(id, await createKey(opened, id));
  }
  await opened.close();
  return keys;
}
