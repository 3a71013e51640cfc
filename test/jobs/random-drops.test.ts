/** @module-tag black-box */
import * as fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deliver, rejectsOf } from '../adapters/deliver.ts';
import { answersIn, documentsOf, publish } from '../adapters/publish.ts';
import { answersOf } from '../reference/reference.ts';
import type { Answers } from '../reference/reference.ts';
import { temporaryFolder } from '../support/folder.ts';
import { RandomDrops } from './random-drops.ts';

/** How many sequences of drops are tried: `npm run test:all` sets 2, and `RANDOM_DROPS=5000` is for a search by hand. */
const SEQUENCES = Number(process.env['RANDOM_DROPS'] ?? 1);

const asOf = '2026-11-16T06:00:00Z';

/** After each delivery the weekly job may run as of some instant. It must not change a later response. */
const between = fc.constantFrom(
  null,
  null,
  '2026-11-09T06:00:00Z',
  asOf,
  '2026-11-16T06:00:00.000001Z',
  '2026-11-21T00:00:00Z',
);
const choice = fc.record({
  between,
  /** One object of a cycle has all runs of a drop, or some at most. */
  runsInObject: fc.constantFrom(20, 200, 10_000),
  /** Many slices, a few, or one. */
  bytesInSlice: fc.constantFrom(10_000, 60_000, 1 << 30),
  threads: fc.constantFrom(1, 3),
  shards: fc.constantFrom(1, 2),
});
type Choice = typeof choice extends fc.Arbitrary<infer Chosen> ? Chosen : never;

/** No sequence of drops is longer. */
const MOST_DROPS = 4;
const choices = fc.array(choice, { minLength: MOST_DROPS, maxLength: MOST_DROPS });

test(
  'whatever is delivered, the jobs refuse and answer what the reference does: in slices of any size, from one object of a cycle or many, on any threads, in any shards',
  { timeout: 600_000 + SEQUENCES * 60_000 },
  async () => {
    const root = await temporaryFolder();
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), choices, async (seed, chosen) => {
        const folder = join(root, String(checked));
        await expectAgreement(seed, chosen, folder);
        await rm(folder, { recursive: true });
        checked++;
      }),
      // A sequence takes seconds: a failure is reported as it was found, without a search for a shorter one.
      { numRuns: SEQUENCES, endOnFailure: true },
    );
    expect(checked).toBe(SEQUENCES);
  },
);

async function expectAgreement(seed: number, chosen: readonly Choice[], below: string): Promise<void> {
  const deliveries = await new RandomDrops(seed).write(below);
  const expected = answersOf(deliveries, asOf);
  const [lake, store] = [join(below, 'lake'), join(below, 'store')];
  const refused: typeof expected.refused = [];
  for (const [delivery, drop] of deliveries.entries()) {
    const { between: instant, runsInObject } = chosen[delivery]!;
    const rejects = await rejectsOf(lake, await deliver(lake, drop, { runsInObject }));
    refused.push(...rejects.map(({ file, line }) => ({ delivery, file, line })));
    if (instant !== null) await publishIfTracked(lake, join(below, 'between'), instant);
  }
  expect(refused).toEqual(expected.refused);
  const { shards: count, bytesInSlice, threads } = chosen[0]!;
  const answers: Record<string, unknown> = {};
  for (let index = 1; index <= count; index += 1) {
    const shard = { index, count };
    const report = await publish(lake, store, asOf, { bytesInSlice, threads, shard });
    expect(report.orphaned.runs).toBe(expected.orphanedRuns);
    for (const { workspaceId } of report.snapshots) {
      answers[workspaceId] = await answersIn(store, workspaceId);
      for (const [path, bytes] of await documentsOf(store, workspaceId))
        expect(bytes.toString('utf8')).toBe(canonical(expected, workspaceId, path));
    }
  }
  expect(answers).toEqual(expected.workspaces);
}

/** The bytes of a document that the reference computed: the response is these, and no others with the same values. */
function canonical({ workspaces, tables }: Answers, workspaceId: string, path: string): string {
  const [folder, name, kind] = path.replace(/\.json$/, '').split('/');
  const workspace = workspaces[workspaceId]!;
  const inFolder = () => (folder === 'tables' ? tables[workspaceId] : workspace[name!]) as object;
  const data = name === undefined ? workspace[folder!] : inFolder()[(kind ?? name) as never];
  return `${JSON.stringify({ data })}\n`;
}

async function publishIfTracked(lake: string, store: string, instant: string): Promise<void> {
  try {
    await publish(lake, store, instant);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('contains no workspaces dated'))) throw error;
  }
}
