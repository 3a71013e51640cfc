/** @module-tag long */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { formatInstant, parseInstant } from '../../../lib/methodology/instant.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answersIn, deliver, publish } from '../jobs.ts';

const usual = {
  seed: 1,
  workspaces: 3,
  brands: 12,
  prompts: 10,
  cycles: 12,
  asOf: parseInstant('2026-11-21T10:00:00.123456Z')!,
};

test('the usual drop is taken whole, with an alert in each workspace, and all else that its page promises', async () => {
  const folder = join(await temporaryFolder(), 'drop');
  await makeDemo({ ...usual, to: folder });
  const [lake, store] = [join(folder, '../lake'), join(folder, '../store')];
  expect((await deliver(lake, { folder, date: '2026-11-16' })).refusals).toEqual([]);
  const report = await publish(lake, store, formatInstant(usual.asOf));
  expect(report).toMatchObject({ workspaces: 3, brands: 12, futureRuns: 0 });
  const brands: Documents[] = [];
  for (const { workspaceId } of report.snapshots) {
    const { brands: _, week: __, ...answers } = await answersIn(store, workspaceId);
    const own = Object.values(answers) as Documents[];
    expect(own.flatMap(({ visibility }) => visibility.alerts)).toHaveLength(1);
    brands.push(...own);
  }
  const engines = brands.flatMap(({ visibility }) => visibility.perEngine);
  for (const { score, bandLow } of engines.filter(({ isSignificant }) => isSignificant))
    expect(bandLow! - score).toBeGreaterThan(20);
  expect(engines.some(({ noAnswerRate }) => noAnswerRate! > 0)).toBe(true);
  expect(engines.some(({ isWarmingUp }) => isWarmingUp)).toBe(true);
  expect(brands.some(({ prompts }) => prompts.prompts.some(({ isActive }) => !isActive))).toBe(true);
});
