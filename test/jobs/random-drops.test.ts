import * as fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answersOf } from '../reference/reference.ts';
import { temporaryFolder } from '../support/folder.ts';
import { drops, writeDrops } from './drops/drops.ts';
import type { Drop } from './drops/drops.ts';
import { asOf } from './drops/records.ts';
import { answersIn, deliver, publish, rejectsOf } from './jobs.ts';

/** For a longer search by hand. */
const numRuns = Number(process.env['RANDOM_DROPS'] ?? 15);

test(
  'whatever is delivered, the jobs refuse and answer what the reference does',
  async () => {
    const folder = await temporaryFolder();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(drops, async (delivered) => {
        const below = join(folder, String(++number));
        await expectAgreement(delivered, below);
        await rm(below, { recursive: true });
      }),
      { numRuns },
    );
  },
  numRuns * 5000,
);

async function expectAgreement(delivered: readonly Drop[], below: string): Promise<void> {
  const deliveries = await writeDrops(delivered, below);
  const expected = answersOf(deliveries, asOf);
  const [lake, store] = [join(below, 'lake'), join(below, 'store')];
  const refused: typeof expected.refused = [];
  for (const [delivery, drop] of deliveries.entries()) {
    const rejects = await rejectsOf(lake, await deliver(lake, drop));
    refused.push(...rejects.map(({ file, line }) => ({ delivery, file, line })));
  }
  expect(refused).toEqual(expected.refused);
  const report = await publish(lake, store, asOf);
  const answers: Record<string, unknown> = {};
  for (const { workspaceId } of report.snapshots) answers[workspaceId] = await answersIn(store, workspaceId);
  expect(answers).toEqual(expected.workspaces);
  expect(report.orphaned.runs).toBe(expected.orphanedRuns);
}
