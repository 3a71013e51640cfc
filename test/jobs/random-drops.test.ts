/** @module-tag black-box */
import * as fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deliver, rejectsOf } from '../adapters/deliver.ts';
import { answersIn, documentsOf, publish } from '../adapters/publish.ts';
import { answersOf } from '../reference/reference.ts';
import type { Answers } from '../reference/reference.ts';
import { checkSequencesOfDrops } from './drops/check.ts';
import { denseDrops } from './drops/dense.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeDrops } from './drops/drops.ts';
import type { Drop } from './drops/drops.ts';
import { asOf } from './drops/records.ts';

/** How many sequences of drops are tried: few in `npm test`; `RANDOM_DROPS=5000` is for a search by hand. */
const FEW = 2;
const MANY = Number(process.env['RANDOM_DROPS'] ?? 20);

/** After each delivery the weekly job may run as of some instant. It must not change a later response. */
const instantsBetween = fc.constantFrom(
  null,
  null,
  '2026-11-09T06:00:00Z',
  asOf,
  '2026-11-16T06:00:00.000001Z',
  '2026-11-21T00:00:00Z',
);

describe('whatever is delivered, the jobs refuse and answer what the reference does', () => {
  test('in a few sequences', async () => {
    expect(await checkSequencesOfDrops(FEW, instantsBetween, expectAgreement)).toBe(FEW);
  });

  test('in many', { tags: ['long'], timeout: 600_000 + MANY * 60_000 }, async () => {
    expect(await checkSequencesOfDrops(MANY, instantsBetween, expectAgreement)).toBe(MANY);
  });
});

describe('with enough prompts and weeks for every verdict, the jobs answer what the reference does', () => {
  test('for a few brands', async () => {
    expect(await checkDense(FEW)).toBe(FEW);
  });

  test('for many', { tags: ['long'], timeout: 600_000 + MANY * 60_000 }, async () => {
    expect(await checkDense(MANY)).toBe(MANY);
  });
});

async function checkDense(numRuns: number): Promise<number> {
  const root = await temporaryFolder();
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      denseDrops,
      async (drop) => await expectAgreement([drop], [], join(root, String(checked++))),
    ),
    { numRuns, endOnFailure: true },
  );
  return checked;
}

async function expectAgreement(
  delivered: readonly Drop[],
  instants: readonly (string | null)[],
  below: string,
): Promise<void> {
  const deliveries = await writeDrops(delivered, below);
  const expected = answersOf(deliveries, asOf);
  const [lake, store] = [join(below, 'lake'), join(below, 'store')];
  const refused: typeof expected.refused = [];
  for (const [delivery, drop] of deliveries.entries()) {
    const rejects = await rejectsOf(lake, await deliver(lake, drop));
    refused.push(...rejects.map(({ file, line }) => ({ delivery, file, line })));
    const instant = instants[delivery] ?? null;
    if (instant !== null) await publishIfTracked(lake, join(below, 'between'), instant);
  }
  expect(refused).toEqual(expected.refused);
  const report = await publish(lake, store, asOf);
  const answers: Record<string, unknown> = {};
  for (const { workspaceId } of report.snapshots) {
    answers[workspaceId] = await answersIn(store, workspaceId);
    for (const [path, bytes] of await documentsOf(store, workspaceId))
      expect(bytes.toString('utf8')).toBe(canonical(expected, workspaceId, path));
  }
  expect(answers).toEqual(expected.workspaces);
  expect(report.orphaned.runs).toBe(expected.orphanedRuns);
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
