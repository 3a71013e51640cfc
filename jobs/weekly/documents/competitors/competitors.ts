import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Competitors } from '../../../../lib/documents/competitors.ts';
import { behindLeader, leadersByPrompt } from '../../../../lib/methodology/behind-leader.ts';
import type { ByPrompt } from '../../../../lib/methodology/behind-leader.ts';
import { presence, shareOfVoice } from '../../../../lib/methodology/share-of-voice.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type Counted = Pick<Competitors['shareOfVoice'][number], 'name' | 'isBrand' | 'mentions' | 'answersNaming'>;

/** The competitors document (methodology, Competitors and Verdicts). */
export const competitors: DocumentSource = async (connection, slice) => {
  const shares = await selectByBrand<Counted & ByPrompt>(connection, import.meta, 'share-of-voice', slice);
  const answered = await selectByBrand<{ answers: number }>(connection, import.meta, 'answers', slice);
  return (brandNo, brand) => {
    const data = competitorsOf(shares(brandNo), answered(brandNo)[0]?.answers ?? 0);
    return encodeDocument('competitors', { brand, ...data });
  };
};

function competitorsOf(shares: readonly (Counted & ByPrompt)[], answers: number): Omit<Competitors, 'brand'> {
  const totalMentions = shares.reduce((sum, { mentions }) => sum + mentions, 0);
  const behind = behindLeader(shares);
  const { shareOfVoice: rows, leaders, ...totals } = shareOfVoice(shares, totalMentions);
  const judged = rows.map((row, index) => ({
    ...row,
    behindLeader: behind?.[index] ?? null,
    ...presence(shares[index]!.answersNaming, answers),
  }));
  return {
    shareOfVoice: judged,
    ...totals,
    leaders,
    leadersByPrompt: behind === null ? null : leadersByPrompt(judged),
    answers,
  };
}
