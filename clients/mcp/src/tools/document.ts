import type { Competitors, Visibility } from 'sightline-client';
import { standingInWords, weekInWords } from 'sightline-client/words';
import { z } from 'zod';
import { brand, document, narrowing, paging, week } from '../arguments.ts';
import { brandIdOf } from '../brand.ts';
import { aboutDocument, documents, narrow } from '../documents.ts';
import type { DocumentName, Less } from '../documents.ts';
import { ToolError } from '../result.ts';
import type { Origin } from '../result.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register, Setting } from '../tool.ts';
import { originOf, snapshotOf } from '../weeks.ts';
import type { Options } from '../weeks.ts';

const DESCRIPTION = `One document of a brand, exactly as it was published:
visibility: engines that are silent and engines that moved, score of each engine with its drift band, alerts, models, events, sentiment; inWords has the week in sentences.
competitors: share of voice over 14 days with intervals and ties, counts by engine.
results: each prompt on each engine, this week and the week before: named or not, won or lost.
stability: how steadily each name is in the answers to each prompt: core (70 % of weeks or more), emerging, carousel, absent.
sources: at most 20 cited domains over 14 days, those where competitors are furthest ahead first; ownSite: how often the brand's site is cited. A site that is missing in the list may well be cited.
timeline: who was named, week by week on each engine: prompts that named the brand and each competitor.
prompts: the tracked questions.
Do not compare two weeks by it: use compare_weeks.`;

/** A document of a brand, of the current week or an earlier one. */
export const getDocument: Register = readOnlyTool({
  name: 'get_document',
  title: 'A document of a brand',
  description: DESCRIPTION,
  input: z.strictObject({ brand, document, week: week.optional(), ...narrowing, ...paging }),
  read: async (input, setting, options) => {
    refuseUnfit(input.document, input);
    const brandId = await brandIdOf(input.brand, setting.client, options);
    const { data, ...origin } = await read(input.document, brandId, input.week, setting, options);
    return {
      ...origin,
      ...aboutDocument(documents[input.document], input),
      inWords: inWords(input.document, data, origin.asOf),
      data: narrow(data, input),
    };
  },
});

async function read(
  name: DocumentName,
  brandId: string,
  wanted: string | undefined,
  { client, weeks }: Setting,
  options: Options,
): Promise<Origin & { data: unknown }> {
  const { current, past } = documents[name];
  if (wanted === undefined) {
    const { data, snapshotId } = await client[current](brandId, options);
    return { ...(await weeks.originOf(snapshotId, options)), data };
  }
  const snapshot = snapshotOf(await weeks.list(options), wanted);
  const { data } = await client[past](snapshot.id, brandId, options);
  return { ...originOf(snapshot), data };
}

function inWords(name: DocumentName, data: unknown, asOf: string): readonly string[] {
  if (name === 'visibility') {
    const visibility = data as Visibility;
    return weekInWords(visibility.brand.name, visibility, null, asOf);
  }
  if (name !== 'competitors') return [];
  const competitors = data as Competitors;
  return [`Share of voice: ${standingInWords(competitors.brand.name, competitors)}.`];
}

/** @throws ToolError for a filter that the document does not have: ignoring it would look as if it was applied. */
function refuseUnfit(name: DocumentName, less: Less): void {
  const { narrowedBy, list } = documents[name];
  const fitting = new Set<string>([...narrowedBy, ...(list === undefined ? [] : ['offset', 'limit'])]);
  const unfit = (['engines', 'promptIds', 'change', 'trend', 'offset', 'limit'] as const).filter(
    (way) => less[way] !== undefined && !fitting.has(way),
  );
  if (unfit.length > 0)
    throw new ToolError(
      'invalid_arguments',
      `the ${name} document cannot be narrowed by ${unfit.join(', ')}`,
    );
}
