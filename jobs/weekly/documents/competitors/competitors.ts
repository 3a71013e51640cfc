import type { Competitors } from '../../../../lib/documents/competitors.ts';
import { behindLeader, leadersByPrompt } from '../../../../lib/methodology/behind-leader.ts';
import type { ByPrompt } from '../../../../lib/methodology/behind-leader.ts';
import { presence, shareOfVoice } from '../../../../lib/methodology/share-of-voice.ts';
import { documentFromRows, query } from '../document.ts';
import type { Rows } from '../document.ts';

type Counted = Pick<Competitors['shareOfVoice'][number], 'name' | 'isBrand' | 'mentions' | 'answersNaming'>;

const queries = {
  shares: query<Counted & ByPrompt>(import.meta, 'share-of-voice'),
  answered: query<Pick<Competitors, 'answers'>>(import.meta, 'answers'),
};

/** The competitors document (methodology, Competitors and Verdicts). */
export const competitors = documentFromRows('competitors', queries, competitorsOf);

function competitorsOf({ shares, answered }: Rows<typeof queries>): Omit<Competitors, 'brand'> {
  const answers = answered[0]?.answers ?? 0;
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
