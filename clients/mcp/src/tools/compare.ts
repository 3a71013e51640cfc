import { SightlineError } from 'sightline-client';
import { comparisonOf } from 'sightline-client/compare';
import type { Week } from 'sightline-client/compare';
import { z } from 'zod';
import { comparisonShape } from '../compare-shape.ts';
import { ToolError } from '../result.ts';
import { brandId, outputOf, week } from '../schemas.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register, Setting } from '../tool.ts';
import { snapshotOf, weekBefore } from '../weeks.ts';
import type { Options, Snapshot } from '../weeks.ts';

const DESCRIPTION =
  'What moved between two weeks: scores whose prompts were named further from expected than chance explains (in older ' +
  'weeks: outside of their drift band), and shares of voice whose 95 % intervals do not touch. All others are only ' +
  'listed: not moved, or not judged (warming up, no new cycle). rules says how each was judged. If notComparable gives ' +
  'reasons, such as another model behind an engine, say them first. Shares cover 14 days, so those of neighbouring weeks ' +
  'overlap by a week. Takes nine requests of the allowance.';

const untrusted = [
  '.brand.name',
  '.brand.domain',
  '.notComparable[]',
  '.shareOfVoice.moved[].name',
  '.shareOfVoice.notMoved[]',
  '.shareOfVoice.notJudged[].name',
  '.shareOfVoice.rules',
  '.shareOfVoice.leaders',
];

/** What moved between two weeks, by the published bands and intervals. */
export const compareWeeks: Register = readOnlyTool({
  name: 'compare_weeks',
  title: 'Compare two weeks',
  description: DESCRIPTION,
  input: z.strictObject({
    brandId,
    before: week
      .optional()
      .describe(`The older week; default: the week before the newer one. ${week.description}`),
    after: week.optional().describe(`The newer week; default: the current one. ${week.description}`),
  }),
  output: outputOf(comparisonShape),
  read: async (input, setting, options) => {
    const [older, newer] = pairOf(await setting.weeks.list(options), input.before, input.after);
    const before = await readWeek(input.brandId, older, setting, options);
    const after = await readWeek(input.brandId, newer, setting, options);
    const data = comparisonOf(before, after);
    return { snapshotId: newer.id, asOf: newer.asOf, data, untrusted, less: '' };
  },
});

function pairOf(
  snapshots: readonly Snapshot[],
  before: string | undefined,
  after: string | undefined,
): [Snapshot, Snapshot] {
  const current = snapshots.find(({ isCurrent }) => isCurrent) ?? snapshots[0]!;
  const newer = after === undefined ? current : snapshotOf(snapshots, after);
  const older = before === undefined ? weekBefore(snapshots, newer) : snapshotOf(snapshots, before);
  if (older.asOf < newer.asOf) return [older, newer];
  throw new ToolError(
    'invalid_arguments',
    `before is the snapshot as of ${older.asOf}, after the one as of ${newer.asOf}: before must be older`,
  );
}

async function readWeek(
  brand: string,
  snapshot: Snapshot,
  { client }: Setting,
  options: Options,
): Promise<Week> {
  const [visibility, competitors, prompts, results] = await Promise.all([
    client.getVisibilityOfSnapshot(snapshot.id, brand, options),
    client.getCompetitorsOfSnapshot(snapshot.id, brand, options),
    client.getPromptsOfSnapshot(snapshot.id, brand, options),
    resultsOf(brand, snapshot, client, options),
  ]);
  return {
    snapshot,
    visibility: visibility.data,
    competitors: competitors.data,
    prompts: prompts.data,
    results: results?.data,
  };
}

/** Undefined for a snapshot from before the document existed. */
async function resultsOf(
  brand: string,
  snapshot: Snapshot,
  client: Setting['client'],
  options: Options,
): Promise<Awaited<ReturnType<Setting['client']['getResultsOfSnapshot']>> | undefined> {
  try {
    return await client.getResultsOfSnapshot(snapshot.id, brand, options);
  } catch (error) {
    if (error instanceof SightlineError && error.code === 'not_found') return undefined;
    throw error;
  }
}
