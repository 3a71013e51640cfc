import type { Sightline } from 'sightline-client';
import { factsInWords, readingInWeek, urgentFirst } from 'sightline-client/words';
import { z } from 'zod';
import { LESS_ROWS, paging, week } from '../arguments.ts';
import type { Answer } from '../result.ts';
import { readOnlyTool } from '../tool.ts';
import type { Register } from '../tool.ts';
import { nothingPublished, originOf, snapshotOf } from '../weeks.ts';

type Week = Awaited<ReturnType<Sightline['getWeek']>>['data'];
type BrandInWeek = Week['brands'][number];

const DESCRIPTION =
  'What happened this week, all brands in one call: begin here. inWords has the sentences of each brand; engines lists ' +
  'those that moved, may have moved or changed over four weeks, all others are as usual. Brands with silent engines or ' +
  'movements come first. won and lost are mostly chance. ownSite: citations in 14 days.';

/** The week of all brands. */
export const weekOfAll: Register = readOnlyTool({
  name: 'week',
  title: 'The week of all brands',
  description: DESCRIPTION,
  input: z.strictObject({ week: week.optional(), ...paging }),
  read: async ({ week: wanted, offset, limit }, { client, weeks }, options) => {
    const untrusted = ['.brands[].name', '.brands[].inWords'];
    const about = { list: 'brands', offset, limit, less: LESS_ROWS, untrusted };
    if (wanted !== undefined) {
      const snapshot = snapshotOf(await weeks.list(options), wanted);
      const { data } = await client.getWeekOfSnapshot(snapshot.id, options);
      return { ...originOf(snapshot), ...about, data: shortened(data) };
    }
    const { data, snapshotId } = await client.getWeek(options);
    if (snapshotId === null || data.asOf === null) throw nothingPublished();
    return { snapshotId, asOf: data.asOf, ...about, data: shortened(data) } satisfies Answer;
  },
});

function shortened({ asOf, brands }: Week) {
  return { brands: urgentFirst(brands).map((each) => shortenedBrand(each, asOf!)) };
}

/** Without calm engines and lists of names: the sentences say who leads. */
function shortenedBrand(facts: BrandInWeek, asOf: string) {
  const { brand, overallVisibility, engines, silent, shareOfVoice, results, ownSite } = facts;
  const { leaders: _, leadersByPrompt: __, ...share } = shareOfVoice;
  const notable = engines.flatMap((engine) => {
    const reading = readingInWeek(engine, facts, asOf);
    const isCalm = reading !== 'moved' && reading !== 'possibly chance' && !engine.isLasting;
    if (isCalm || reading === 'silent' || reading === 'older week') return [];
    const { slug, score, promptsNamed, promptsAnswered, isLasting } = engine;
    return { slug, reading, score, promptsNamed, promptsAnswered, isLasting };
  });
  return {
    id: brand.id,
    name: brand.name,
    inWords: factsInWords(facts, asOf).join(' '),
    overallVisibility,
    engines: notable,
    ...(silent.length > 0 && { silent }),
    shareOfVoice: share,
    results,
    ownSite,
  };
}
