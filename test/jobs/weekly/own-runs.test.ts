/** @module-tag long */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { inShard } from '../../../jobs/weekly/shard.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { currentIn, deliver, publish } from '../jobs.ts';
import { AS_OF } from '../lake.ts';
import { idOf as id, runId, sound, writeDrop } from '../records.ts';

const newFolder = temporaryFolders();
const numbers = [1, 2, 3, 4, 5, 6];
const own = [1, 2].map((index) => ({ index, count: 2 })).find((shard) => inShard(id('a', 1), shard))!;

let root: string;
/* A lake whose cycles are in many objects: the first workspace ran in the first of two weeks, the others in both. */
beforeAll(async () => {
  root = await newFolder();
  const weeks = [
    ['2026-11-09', numbers],
    ['2026-11-16', numbers.slice(1)],
  ] as const;
  for (const [date, brands] of weeks) {
    const drop = await writeDrop(join(root, date), {
      'workspaces.ndjson': numbers.map((n) => sound.workspaces({ id: id('a', n) })),
      'brands.ndjson': numbers.map((n) => sound.brands({ id: id('b', n), workspace_id: id('a', n) })),
      'runs.ndjson': brands.map((n) =>
        sound.runs({
          id: runId(n + 1000 * Number(date.slice(-2))),
          brand_id: id('b', n),
          cycle_date: date,
          ran_at: `${date}T05:00:00Z`,
        }),
      ),
    });
    await deliver(join(root, 'lake'), { folder: drop, date: '2026-11-09' }, { runsInObject: 1 });
  }
});

const published = async (store: string, options = {}) => {
  const { snapshots } = await publish(join(root, 'lake'), join(root, store), AS_OF, options);
  return snapshots.map(({ workspaceId, snapshotId }) => `${workspaceId} ${snapshotId}`);
};
const recipeOf = async (workspaceId: string) => {
  const { manifest, publication } = await currentIn(join(root, 'all'), workspaceId);
  const inputs = await readInputs(directoryStore(join(root, 'all')), manifest);
  return { ...manifest, publishedAt: publication.publishedAt, inputs };
};

const isRun = ({ path }: { path: string }) => path.startsWith('runs/');

test('a snapshot is computed again from its own objects; a shard and a single workspace need no others', async () => {
  const expected = await published('all');
  const lake = directoryStore(join(root, 'lake'));
  const recipe = await recipeOf(id('a', 1));
  let stores = 0;
  const again = async (changed: Partial<typeof recipe> = {}) =>
    await recompute(
      { lake, store: directoryStore(join(root, `again-${++stores}`)) },
      { ...recipe, ...changed },
    );
  const { snapshotId, completeness } = recipe;
  expect(await again()).toMatchObject({ snapshotId, missing: [], changed: [], leftOut: [] });
  const forged = await again({ inputs: recipe.inputs.filter((input) => !isRun(input)) });
  expect(forged.leftOut).toEqual(recipe.inputs.filter(isRun).map(({ path }) => path));
  const older = await again({ completeness: { ...completeness!, newestCycle: '2026-11-09' } });
  expect(older.leftOut.length).toBeGreaterThan(0);

  const kept = new Set<string>();
  for (const n of numbers.filter((each) => inShard(id('a', each), own)))
    for (const { path } of (await recipeOf(id('a', n))).inputs) kept.add(path);
  for (const { runs } of await readLedger(lake))
    for (const { key } of runs) if (!kept.has(key)) await rm(join(root, 'lake', key));
  const ofShard = await published('shard', { shard: own });
  expect(ofShard.length).toBeGreaterThan(0);
  expect(expected).toEqual(expect.arrayContaining(ofShard));
  expect(expected).toEqual(expect.arrayContaining(await published('one', { workspaces: [id('a', 1)] })));
  await expect(published('missing')).rejects.toThrow(/ is missing: the ledger names it/);
});
