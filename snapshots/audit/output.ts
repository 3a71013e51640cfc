import { z } from 'zod';
import { documentKinds } from '../../lib/documents/kinds.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import type { WonOrLost } from '../../lib/weeks/won-lost.ts';
import type { BrandDiff, JudgedChange, SnapshotDiff } from '../diff/diff.ts';
import { causes, judgements, labels } from '../diff/labels.ts';
import { publicationSchema } from '../log/history.ts';
import { count, digest, instant, snapshotIdSchema, workspaceIdSchema } from '../manifest.ts';
import { noteKinds, problemKinds } from '../verify/findings.ts';
import type { Finding, ProblemKind } from '../verify/findings.ts';
import type { VerifyReport } from '../verify/report.ts';
import type { SnapshotList } from './list.ts';

/* What the commands print with --json, for docs/schemas. The types are checked against those of the commands. */

const brokenHistory = z.strictObject({
  workspaceId: workspaceIdSchema,
  reason: z.string().describe('Why its history cannot be read.'),
});

/** Of `audit list --json`. */
export const listOutput = z
  .strictObject({
    snapshots: z
      .array(
        publicationSchema.extend({
          workspaceId: workspaceIdSchema,
          workspaceName: z
            .string()
            .nullable()
            .describe('In the current snapshot; null if there is none, or it cannot be read.'),
          asOf: instant,
          isCurrent: z.boolean(),
        }),
      )
      .describe('Newest first.'),
    broken: z
      .array(brokenHistory)
      .describe('The workspaces that cannot be listed; then the exit status is 1.'),
  })
  .describe('The published snapshots: npm run audit -- list --json') satisfies z.ZodType<SnapshotList>;

function findingOf<Kind extends string>(kinds: readonly Kind[]) {
  return z.strictObject({
    kind: z.enum(kinds),
    workspaceId: z.string().nullable(),
    snapshotId: z.string().nullable(),
    objects: z.array(z.string()).describe('The keys of the objects affected.'),
    sha256: digest
      .nullable()
      .describe('What the object must have, if something names it by its hash; otherwise null.'),
    message: z.string(),
  }) satisfies z.ZodType<Finding<Kind>>;
}

const logHead = z.strictObject({
  origin: z.string(),
  size: count.describe('The number of entries.'),
  root: digest,
  newestEntryAt: z.string(),
  publishedAt: z.string().describe('Of the newest publication; empty without one.'),
});

/** Of `audit verify --json`. */
export const verifyOutput = z
  .strictObject({
    isIntact: z
      .boolean()
      .describe('True if there is no problem, and this version knows everything that was found.'),
    problems: z.array(findingOf(Object.keys(problemKinds) as ProblemKind[])),
    notes: z.array(findingOf(noteKinds)).describe('No sign of tampering.'),
    newer: z.array(z.string()).describe('What a newer version wrote, in words: then there is no verdict.'),
    scope: z
      .strictObject({ workspaceId: workspaceIdSchema, snapshotId: snapshotIdSchema.nullable() })
      .nullable()
      .describe('The workspace that was read, and the snapshot; null if all were.'),
    subset: z
      .strictObject({ part: count, of: count })
      .nullable()
      .describe('The part of the documents of older snapshots that was read; null if all were.'),
    checked: z.strictObject({
      logEntries: count,
      workspaces: count,
      snapshots: count,
      documents: count,
      bytes: count,
    }),
    log: logHead.nullable().describe('The head that was verified; null if there is no log.'),
    checkpoint: z
      .string()
      .nullable()
      .describe(
        'The signed checkpoint, to be kept; null if the store is not intact, or one workspace was read.',
      ),
    seconds: z.number(),
  })
  .describe('The verdict on a store: npm run audit -- verify --json') satisfies z.ZodType<VerifyReport>;

const judged = z.strictObject({
  document: z.enum(['brands', ...documentKinds]),
  pointer: z
    .string()
    .describe(
      'JSON pointer (RFC 6901) into the newer document; into the older one if the value was removed.',
    ),
  pointerBefore: z
    .string()
    .nullable()
    .describe('JSON pointer into the older document, if it differs from pointer.'),
  path: z.array(z.string()).describe('The place, with the keys of rows instead of their numbers.'),
  change: z.enum(['changed', 'added', 'removed', 'reordered']),
  old: z.json(),
  new: z.json(),
  place: z.string().describe('Its place, in words.'),
  oldText: z.string(),
  newText: z.string(),
  label: z.enum(labels),
  causes: z.array(z.enum(causes)).describe('What makes the two values incomparable; the first is the label.'),
  judgement: z.enum(judgements).describe('By the numbers alone.'),
  rule: z
    .enum(['engines together', 'gap by prompt', 'interval'])
    .nullable()
    .describe('The rule of the judgement; null if none applies.'),
}) satisfies z.ZodType<JudgedChange>;

const wonOrLost = z.strictObject({
  change: z.enum(['won', 'lost']),
  promptId: z.string(),
  promptText: z.string(),
  slug: z.enum(engineSlugs),
  date: z.iso.date().describe('The cycle in which it was won or lost.'),
  position: z.number().describe("The brand's best position while it was named."),
  answers: z.array(z.string()).describe('The addresses of the answers of that cycle, as far as known.'),
}) satisfies z.ZodType<WonOrLost>;

const brandDiff = z.strictObject({
  brandId: z.string(),
  name: z.string(),
  change: z.enum(['added', 'removed']).nullable().describe('Null if the brand is in both weeks.'),
  causes: z.array(z.enum(causes)),
  causesOnEngines: z.array(
    z.strictObject({
      cause: z.enum(['models changed', 'runs per prompt changed', 'answered prompts changed']),
      slug: z.string(),
      text: z.string().describe('What was different, in words.'),
    }),
  ),
  silent: z.array(z.string()).describe('Sentences on the engines that gave no answer lately.'),
  changes: z.array(judged),
  wonAndLost: z.array(wonOrLost).describe('Prompts that name the brand in one of the two weeks only.'),
}) satisfies z.ZodType<BrandDiff>;

const side = z.strictObject({ snapshotId: snapshotIdSchema, asOf: instant, methodologyVersion: z.string() });

/** Of `audit diff --json`. */
export const diffOutput = z
  .strictObject({
    workspaceId: workspaceIdSchema,
    from: side,
    to: side,
    brands: z.array(brandDiff).describe('Brands in which something changed, in the order of the newer week.'),
    counts: z.record(z.enum(labels), count).describe('How many changes have each label.'),
  })
  .describe('What differs between two weeks: npm run audit -- diff --json') satisfies z.ZodType<SnapshotDiff>;
