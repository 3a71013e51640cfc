import type { Competitors } from '../../../../lib/documents/competitors.ts';
import { shareOfVoice } from '../../../../lib/methodology/share-of-voice.ts';
import { documentFromRows, query } from '../document.ts';

type Row = Pick<Competitors['shareOfVoice'][number], 'name' | 'isBrand' | 'mentions'>;

const queries = {
  shares: query<Row>(import.meta, 'share-of-voice'),
  answered: query<Pick<Competitors, 'answers'>>(import.meta, 'answers'),
};

/** The competitors document (methodology, Competitors). */
export const competitors = documentFromRows('competitors', queries, ({ shares, answered }) => ({
  ...shareOfVoice(
    shares,
    shares.reduce((sum, { mentions }) => sum + mentions, 0),
  ),
  answers: answered[0]?.answers ?? 0,
}));
