import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { inShard } from '../../../jobs/weekly/shard.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver, logOf } from '../jobs.ts';
import { runId, sound, writeDrop } from '../records.ts';
import { earlier, half, id, newest, tracking, whole } from './incomplete-week.ts';

const asOf = parseInstant('2026-11-16T06:00:00Z')!;

async function run(folder: string, options: Partial<WeeklyOptions>): Promise<WeeklyReport> {
  const lake = directoryStore(join(folder, 'lake'));
  return await weekly({ lake, ...logOf(join(folder, 'store')), asOf, threads: 1, ...options });
}

const brandOf = (workspace: string, n: number) => ({ id: id('b', n), workspace_id: workspace });

test.each(['without brands', 'with a brand'])(
  'a silent week of all workspaces and one %s: only one with brands that is not stale makes it no failure',
  async (other) => {
    const folder = await temporaryFolder();
    const others = other === 'with a brand' ? [sound.brands(brandOf(id('a', 9), 9))] : [];
    const drop = await writeDrop(join(folder, 'drop'), {
      ...tracking,
      'workspaces.ndjson': [...tracking['workspaces.ndjson'], sound.workspaces({ id: id('a', 9) })],
      'brands.ndjson': [...tracking['brands.ndjson'], ...others],
      'runs.ndjson': [...earlier, ...newest],
    });
    await deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-16' });
    const report = await run(folder, {
      asOf: parseInstant('2026-11-30T06:00:00Z')!,
      requireComplete: 90,
    });
    const ids = [whole, half];
    const [unpublished, keptStale] = others.length === 0 ? [ids, []] : [[], ids];
    expect(report.unpublished.map(({ workspaceId }) => workspaceId)).toEqual(unpublished);
    expect(report.keptStale).toEqual(keptStale);
  },
);

test('a silent tracker of one workspace is noticed while the others are delivered, unless its prompts are paused', async () => {
  const [below, silent, paused] = [await temporaryFolder(), id('a', 8), id('a', 9)];
  const drop = await writeDrop(join(below, 'drop'), {
    'workspaces.ndjson': [
      ...tracking['workspaces.ndjson'],
      ...[silent, paused].map((workspace) => sound.workspaces({ id: workspace })),
    ],
    'brands.ndjson': [
      ...tracking['brands.ndjson'],
      sound.brands(brandOf(silent, 8)),
      sound.brands(brandOf(paused, 9)),
    ],
    'prompts.ndjson': [
      ...tracking['prompts.ndjson'],
      sound.prompts({ id: id('d', 80), brand_id: id('b', 8) }),
      sound.prompts({ id: id('d', 90), brand_id: id('b', 9), is_active: false }),
    ],
    'runs.ndjson': [
      ...earlier,
      ...newest,
      ...[8, 9].map((n) =>
        sound.runs({
          id: runId(9000 + n),
          brand_id: id('b', n),
          prompt_id: id('d', n * 10),
          cycle_date: '2026-09-07',
          ran_at: '2026-09-07T03:00:00Z',
        }),
      ),
    ],
  });
  await deliver(join(below, 'lake'), { folder: drop, date: '2026-11-16' });
  const required = { requireComplete: 1 };
  const report = await run(below, required);
  expect(report.completeness.workspaces.filter(({ isStale }) => isStale)).toEqual([
    expect.objectContaining({ workspaceId: silent, newestCycle: '2026-09-07', percent: 0 }),
  ]);
  // It keeps its snapshot, and the run does its work; so does a shard of it alone, but not a run of it alone.
  expect(report).toMatchObject({
    deliveries: 1,
    workspaces: 4,
    new: 3,
    unpublished: [],
    keptStale: [silent],
  });
  const count = 1000;
  const index = Array.from({ length: count }, (_, n) => n + 1).find((n) =>
    inShard(silent, { index: n, count }),
  )!;
  const sharded = await run(below, { ...required, shard: { index, count } });
  expect(sharded).toMatchObject({ workspaces: 1, unpublished: [], keptStale: [silent] });
  const named = await run(below, { ...required, workspaces: [silent] });
  expect(named).toMatchObject({ unpublished: [{ workspaceId: silent, reason: 'stale' }], keptStale: [] });
});
