import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import { historyOperations, operationIds, routes } from '../../../lib/documents/routes.ts';
import { systemClock } from '../../../lib/clock.ts';
import { snapshotsSchema } from '../../../lib/history/schemas.ts';
import { deliver, documentsOf, publish } from '../../jobs/jobs.ts';
import { ids, mention, runId, sound, tracked, writeDrop } from '../../jobs/records.ts';
import { contentOfDocuments } from '../../snapshots/documents.ts';
import { publishSnapshot, testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import { ask, bearer } from '../ask.ts';
import type { Answer } from '../ask.ts';
import { setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

const newFolder = temporaryFolders();

const WEEKS = 10;
const FIRST_MONDAY = Date.parse('2026-07-06T00:00:00Z');
const laterBrand = { ...sound.brands(), id: 'bbbbbbbb-0000-4000-8000-000000000002', name: 'Globex' };

/** The weeks that the weekly job published, oldest first. */
interface Published {
  asOf: string;
  documents: { path: string; bytes: Buffer }[];
}

const run = (n: number, cycle: string) =>
  sound.runs({
    id: runId(n),
    cycle_date: cycle,
    ran_at: `${cycle}T08:00:00Z`,
    mentions: n % 3 === 0 ? [] : [mention({ position: (n % 4) + 1 })],
  });

/** The n-th week: renamed in week 2, the prompt paused in 4 and 5, another brand from 6 on. */
function dropOf(week: number, monday: string, lateRuns: readonly object[]) {
  const brand = sound.brands({ name: week < 2 ? 'Acme' : 'Acme Corporation' });
  return {
    ...tracked,
    'brands.ndjson': week < 6 ? [brand] : [brand, laterBrand],
    'prompts.ndjson': [sound.prompts({ is_active: week < 4 || week > 5 })],
    'runs.ndjson': [...(week === 7 ? [] : [run(week + 1, monday)]), ...lateRuns].map((record) =>
      JSON.stringify(record),
    ),
  };
}

/** Ten weeks through ingest and the weekly job; week 7 comes in two days late, and is published once more then. */
async function publishWeeks(folder: string): Promise<Published[]> {
  const [lake, store] = [join(folder, 'lake'), join(folder, 'store')];
  const published: Published[] = [];
  const deliverAndPublish = async (files: ReturnType<typeof dropOf>, date: string) => {
    await deliver(lake, { folder: await writeDrop(join(folder, date), files), date });
    const asOf = `${date}T06:00:00Z`;
    await publish(lake, store, asOf);
    const documents = await documentsOf(store, ids.workspace);
    published.push({
      asOf: new Date(asOf).toISOString(),
      documents: [...documents].map(([path, bytes]) => ({ path, bytes })),
    });
  };
  for (let week = 0; week < WEEKS; week++) {
    const monday = new Date(FIRST_MONDAY + week * 7 * 86_400_000).toISOString().slice(0, 10);
    await deliverAndPublish(dropOf(week, monday, []), monday);
    if (week !== 7) continue;
    const wednesday = new Date(Date.parse(monday) + 2 * 86_400_000).toISOString().slice(0, 10);
    const late = sound.runs({ id: runId(16), cycle_date: monday, ran_at: `${monday}T08:00:00Z` });
    await deliverAndPublish(dropOf(week, monday, [late]), wednesday);
  }
  return published;
}

/** All paths that exist now, without ids that are not tracked yet. */
const currentPaths = operationIds.flatMap((id) =>
  (routes[id].answer === 'brands' ? [ids.brand] : [ids.brand, laterBrand.id]).map((brandId) => ({
    document: routes[id].answer,
    brandId,
    path: routes[id].path.replace('{brandId}', brandId),
  })),
);

const pathOfThePast = (snapshotId: string, document: string, brandId: string) =>
  historyOperations
    .find(({ answer }) => answer === document)!
    .path.replace('{snapshotId}', snapshotId)
    .replace('{brandId}', brandId);

interface Served {
  snapshotId: string;
  answers: { document: string; brandId: string; answer: Answer }[];
}

/** Publishes week by week, and requests every document in each. */
async function serveWeeks(
  gateway: ListeningGateway,
  key: string,
  weeks: readonly Published[],
): Promise<Served[]> {
  const served: Served[] = [];
  for (const { asOf, documents } of weeks) {
    const content = contentOfDocuments(ids.workspace, asOf, documents);
    gateway.log.clock.time += 1000;
    const { snapshotId } = await publishSnapshot(gateway.log, content);
    await gateway.documents.refresh();
    const answers = [];
    for (const { document, brandId, path } of currentPaths)
      answers.push({ document, brandId, answer: await ask(gateway.base, path, { headers: bearer(key) }) });
    served.push({ snapshotId, answers });
  }
  return served;
}

let weeks: Published[];
beforeAll(async () => {
  weeks = await publishWeeks(await newFolder());
});

/** Expects that every week is served as it was when it was the current one. */
async function expectTheSameInAllWeeks(log: TestLog): Promise<void> {
  const gateway = await startListeningGateway(systemClock, { log });
  onTestFinished(() => gateway.close());
  await setPlan(gateway.records, ids.workspace, 'agency', 1_000_000);
  const key = await gateway.createKey(ids.workspace);
  const served = await serveWeeks(gateway, key, weeks);
  expect(new Set(served.map(({ snapshotId }) => snapshotId)).size).toBe(WEEKS + 1);
  for (const { snapshotId, answers } of served) {
    for (const { document, brandId, answer } of answers) {
      const path = pathOfThePast(snapshotId, document, brandId);
      const past = await ask(gateway.base, path, { headers: bearer(key) });
      expect([path, past.status, past.text]).toEqual([path, answer.status, answer.text]);
      expect(past.headers.etag).toBe(answer.headers.etag);
      expect(past.headers['x-snapshot-id']).toBe(answer.status === 200 ? snapshotId : undefined);
    }
  }
  const list = await ask(gateway.base, '/api/v1/snapshots', { headers: bearer(key) });
  const listed = snapshotsSchema.parse((JSON.parse(list.text) as { data: unknown }).data);
  expect(listed.map(({ id, asOf }) => [id, asOf]).toReversed()).toEqual(
    served.map(({ snapshotId }, at) => [snapshotId, weeks[at]!.asOf]),
  );
  expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, ...Array<false>(WEEKS).fill(false)]);
  const publishedAt = new Date(log.clock.time).toISOString();
  expect(listed[0]).toMatchObject({ sequence: WEEKS + 1, publishedAt, brands: 2 });
}

const long = { tags: ['long'] };

test('the weeks differ, with renames, a pause, late data and a week that was published twice', long, () => {
  expect(weeks).toHaveLength(WEEKS + 1);
  const texts = weeks.map(({ documents }) => documents.map(({ bytes }) => bytes.toString()).join(''));
  expect(new Set(texts).size).toBeGreaterThanOrEqual(WEEKS - 2); // during the pause few numbers change
  expect(texts[1]).not.toContain('Acme Corporation');
  expect(texts[2]).toContain('Acme Corporation');
  expect(texts[7]).not.toBe(texts[8]);
  expect(weeks.at(-1)!.documents).toHaveLength(1 + 2 * documentKinds.length);
});

describe('every week of the history is served as it was when it was current', long, () => {
  test('from a folder', async () => {
    await expectTheSameInAllWeeks(await testLog(await temporaryFolder()));
  });
});

describeS3('every week of the history in S3', () => {
  test('is served as it was when it was current', async () => {
    const bucket = await makeBucket();
    onTestFinished(() => bucket.remove());
    const log = await testLog(await temporaryFolder());
    await expectTheSameInAllWeeks({ ...log, store: bucket.store('store'), lake: bucket.store('lake') });
  });
});
