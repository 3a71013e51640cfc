import { z } from 'zod';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { measurementKinds } from '../checks/measurement.ts';
import type { WeeklyReport } from './report.ts';

const count = z.number().int().nonnegative();
const cycle = z.iso.date().nullable().describe('The newest cycle; null if nothing ran.');
const percent = z.number().nullable().describe('With one decimal; null if nothing was expected.');
const engine = z.enum(engineSlugs);
const delivery = { expected: count, delivered: count };
const ofBrand = { workspaceId: z.string(), brandId: z.string(), brand: z.string(), engine };

const completeness = z.strictObject({
  newestCycle: cycle,
  ...delivery,
  percent,
  workspaces: z.array(
    z.strictObject({
      workspaceId: z.string(),
      brands: count,
      newestCycle: cycle,
      isActive: z.boolean().describe('Any of its prompts is active.'),
      isStale: z.boolean().describe('It is active, and its newest cycle is too old.'),
      ...delivery,
      percent,
    }),
  ),
  missing: z.array(z.strictObject({ ...ofBrand, newestCycle: z.iso.date(), ...delivery })),
});

const unpublished = z.strictObject({
  workspaceId: z.string(),
  reason: z.enum(['failed', 'incomplete', 'stale', 'shrunk', 'untracked', 'future', 'newer']),
  message: z.string(),
  isUnreachable: z.literal(true).exactOptional().describe('The store or the lake could not be reached.'),
});

/** What `job weekly --json` prints, for docs/schemas. The type is checked against that of the command. */
export const weeklyOutput = z
  .strictObject({
    asOf: z.string().describe('ISO 8601, UTC; with up to six decimals.'),
    workspaces: count,
    brands: count,
    documents: count,
    bytes: count,
    new: count.describe('Workspaces that got a new snapshot.'),
    unchanged: count.describe('Those that had this very snapshot before.'),
    newer: count.describe('Those that kept a snapshot as of later.'),
    deliveries: count.describe('The deliveries that the lake had.'),
    refused: count.describe('The runs that ingest refused in all of them.'),
    orphaned: z
      .strictObject({ runs: count, prompts: count, competitors: count, brands: count })
      .describe('Records that belong to nothing that is tracked.'),
    futureRuns: count.describe('Runs of more than a day after asOf: not in the snapshots.'),
    completeness,
    measurement: z
      .array(
        z.strictObject({
          ...ofBrand,
          kind: z.enum(measurementKinds),
          before: z.string().nullable(),
          after: z.string(),
        }),
      )
      .describe('Engines that were measured otherwise than in the week before.'),
    engineShifts: z
      .array(
        z.strictObject({
          engine,
          z: z.number().describe('Beyond ± 3 it is hardly chance.'),
          brands: count,
          sameSign: count,
          modelsKnown: count,
          modelsChanged: count,
        }),
      )
      .describe('How each engine moved for all brands together.'),
    shard: z
      .strictObject({ index: count, count })
      .nullable()
      .describe('The part of the workspaces that it is about; null: all, or those that were named.'),
    snapshots: z.array(
      z.strictObject({ workspaceId: z.string(), snapshotId: z.string(), isNew: z.boolean() }),
    ),
    unpublished: z.array(unpublished),
    keptStale: z
      .array(z.string())
      .describe('Workspaces that keep their snapshot because their tracker is silent.'),
    seconds: z.number(),
  })
  .describe('What a weekly run did: npm run job -- weekly --json') satisfies z.ZodType<WeeklyReport>;
