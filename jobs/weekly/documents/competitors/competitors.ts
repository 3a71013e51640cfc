import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Competitors } from '../../../../lib/documents/competitors.ts';
import { behindLeader, leadersByPrompt } from '../../../../lib/methodology/behind-leader.ts';
import type { ByPrompt } from '../../../../lib/methodology/behind-leader.ts';
import { presence, shareOfVoice } from '../../../../lib/methodology/share-of-voice.ts';
import type { Presence, Share } from '../../../../lib/methodology/share-of-voice.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type Row = Competitors['shareOfVoice'][number];
/** Fields that are made from the counts. The query returns all others of the schema. */
type Made =
  | 'behindLeader'
  | Exclude<keyof Share, 'name' | 'isBrand' | 'mentions'>
  | Exclude<keyof Presence, 'answersNaming'>;
type Counted = Omit<Row, Made> & { byPrompt: Omit<ByPrompt, 'mentions'> };

type Answered = Pick<Competitors['perEngine'][number], 'slug' | 'answers'>;

/** The competitors document (methodology, Competitors, Verdicts and Questions). */
export const competitors: DocumentSource = async (connection, slice) => {
  const shares = await selectByBrand<Counted>(connection, import.meta, 'share-of-voice', slice);
  const answered = await selectByBrand<Answered>(connection, import.meta, 'answers', slice);
  return (brandNo, brand) => {
    const data = competitorsOf(shares(brandNo), answered(brandNo));
    return encodeDocument('competitors', { brand, ...data });
  };
};

function competitorsOf(
  counted: readonly Counted[],
  answered: readonly Answered[],
): Omit<Competitors, 'brand'> {
  const answers = answered.reduce((sum, engine) => sum + engine.answers, 0);
  const totalMentions = counted.reduce((sum, { mentions }) => sum + mentions, 0);
  const behind = behindLeader(counted.map(({ mentions, byPrompt }) => ({ mentions, ...byPrompt })));
  const { shareOfVoice: rows, leaders, ...totals } = shareOfVoice(counted, totalMentions);
  const judged = counted.map(({ byPrompt: _sums, ...counts }, index) => ({
    ...counts,
    ...rows[index]!,
    behindLeader: behind?.[index] ?? null,
    ...presence(counts.answersNaming, answers),
  }));
  return {
    shareOfVoice: judged,
    ...totals,
    leaders,
    leadersByPrompt: behind === null ? null : leadersByPrompt(judged),
    answers,
    perEngine: answered.map((engine, index) => ({
      ...engine,
      totalMentions: counted.reduce((sum, { perEngine }) => sum + perEngine[index]!.mentions, 0),
    })),
  };
}
