import { comparisonOf } from 'sightline-client/compare';
import type { Week } from 'sightline-client/compare';
import { weekInWords } from 'sightline-client/words';
import { z } from 'zod';
import { brand, week } from '../arguments.ts';
import { brandIdOf } from '../brand.ts';
import { ToolError } from '../result.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register, Setting } from '../tool.ts';
import { currentOf, originOf, snapshotOf, weekBefore } from '../weeks.ts';
import type { Options, Snapshot } from '../weeks.ts';

const DESCRIPTION =
  'What moved between two weeks. moved has the scores and shares whose change is more than chance explains: quote ' +
  'because, and the bands or intervals. possiblyChance: alerts that are not confirmed when all engines are judged ' +
  'together. Of all others no difference can be claimed: not moved, or not judged (warming up, no new cycle, silent). If notComparable gives reasons, such as another model behind an engine, say them first. inWords ' +
  'has the newer week in sentences. Shares cover 14 days, so those of neighbouring weeks overlap. Takes nine requests.';

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
    brand,
    before: week
      .optional()
      .describe('The older week, as in get_document. Default: the week before the newer.'),
    after: week.optional().describe('The newer week. Default: the current one.'),
  }),
  read: async (input, setting, options) => {
    const [older, newer] = pairOf(await setting.weeks.list(options), input.before, input.after);
    const brandId = await brandIdOf(input.brand, setting.client, options);
    const before = await readWeek(brandId, older, setting, options);
    const after = await readWeek(brandId, newer, setting, options);
    const { visibility, competitors } = after;
    const inWords = weekInWords(visibility.brand.name, visibility, competitors, newer.asOf);
    const data = comparisonOf(before, after);
    return { ...originOf(newer), inWords, data, untrusted, less: '' };
  },
});

function pairOf(
  snapshots: readonly Snapshot[],
  before: string | undefined,
  after: string | undefined,
): [Snapshot, Snapshot] {
  const newer = after === undefined ? currentOf(snapshots) : snapshotOf(snapshots, after);
  const older = before === undefined ? weekBefore(snapshots, newer) : snapshotOf(snapshots, before);
  if (older.asOf < newer.asOf) return [older, newer];
  throw new ToolError(
    'invalid_arguments',
    `before is the snapshot as of ${older.asOf}, after the one as of ${newer.asOf}: before must be older`,
  );
}

async function readWeek(
  brandId: string,
  snapshot: Snapshot,
  { client }: Setting,
  options: Options,
): Promise<Week> {
  const [visibility, competitors, prompts, results] = await Promise.all([
    client.getVisibilityOfSnapshot(snapshot.id, brandId, options),
    client.getCompetitorsOfSnapshot(snapshot.id, brandId, options),
    client.getPromptsOfSnapshot(snapshot.id, brandId, options),
    client.getResultsOfSnapshot(snapshot.id, brandId, options),
  ]);
  return {
    snapshot,
    visibility: visibility.data,
    competitors: competitors.data,
    prompts: prompts.data,
    results: results.data,
  };
}
