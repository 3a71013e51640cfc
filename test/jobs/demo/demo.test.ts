/** @module-tag long */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { DemoOptions } from '../../../jobs/demo/demo.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { formatInstant, parseInstant } from '../../../lib/methodology/instant.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answersIn, deliver, publish } from '../jobs.ts';
import { textsIn } from '../import/imports.ts';

const usual: Omit<DemoOptions, 'to'> = {
  seed: 1,
  workspaces: 3,
  brands: 12,
  prompts: 10,
  cycles: 12,
  asOf: parseInstant('2026-11-21T10:00:00.123456Z')!,
};
const midnight = parseInstant('2026-11-16T00:00:00Z')!;
const small: typeof usual = { ...usual, workspaces: 1, brands: 1, prompts: 3, cycles: 2, asOf: midnight };

async function made(options: typeof usual): Promise<string> {
  const to = join(await temporaryFolder(), 'drop');
  await makeDemo({ ...options, to });
  return to;
}

test('the usual drop is taken whole, with an alert in each workspace, and all else that its page promises', async () => {
  const folder = await made(usual);
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

const textsOf = async (seed: number) => await textsIn(await made({ ...small, seed }));

test('the same seed makes the same bytes, another one differs in every file, and nothing ran after the as-of instant', async () => {
  const [former, latter] = [await textsOf(1), await textsOf(2)];
  expect(await textsOf(1)).toEqual(former);
  expect(Object.keys(former)).toEqual(Object.keys(latter));
  for (const [file, text] of Object.entries(former)) expect(latter[file]).not.toBe(text);
  const times = former['runs-2026-11-16.ndjson']!.matchAll(/"ran_at":"(.*?)"/g);
  expect(new Set(Array.from(times, ([, time]) => time))).toEqual(new Set(['2026-11-16T00:00:00.000Z']));
});
