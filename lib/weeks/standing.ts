import { isolatedName, listOf } from './names.ts';

/** The parts of a competitors document that the sentences need. */
export interface CompetitorFacts {
  totalMentions: number;
  shareOfVoice: readonly {
    name: string;
    isBrand: boolean;
    tiedForLead: boolean;
    behindLeader: { isBehind: boolean } | null;
  }[];
  leadersByPrompt: readonly string[] | null;
}

type Row = CompetitorFacts['shareOfVoice'][number];

/** The rows that lead: by prompt where that is known, otherwise by the intervals of the shares. */
export function leadingRows<R extends Row>({
  shareOfVoice,
  leadersByPrompt,
}: Omit<CompetitorFacts, 'shareOfVoice'> & { shareOfVoice: readonly R[] }): R[] {
  return shareOfVoice.filter((row) =>
    leadersByPrompt !== null ? row.behindLeader?.isBehind !== true : row.tiedForLead,
  );
}

/** Which names lead the share of voice, without the full stop. */
export function standingInWords(brandName: string, competitors: CompetitorFacts): string {
  const leading = leadingRows(competitors);
  return leadInWords(brandName, {
    names: competitors.shareOfVoice.length,
    totalMentions: competitors.totalMentions,
    leading: leading.map(({ name }) => name),
    isLeading: leading.some(({ isBrand }) => isBrand),
  });
}

/**
 * The same, of counts and names.
 * @param share `names`: the rows of the share of voice, the brand's own included
 */
export function leadInWords(
  brandName: string,
  share: { names: number; totalMentions: number; leading: readonly string[]; isLeading: boolean },
): string {
  const { names, totalMentions, leading, isLeading } = share;
  const brand = isolatedName(brandName);
  if (names < 2) return 'no competitors are tracked';
  if (totalMentions === 0) return `neither ${brand} nor a competitor was named in the last 14 days`;
  const listed = listOf(leading.map(isolatedName));
  if (leading.length === 1) return isLeading ? `${brand} leads` : `${listed} leads, and ${brand} is behind`;
  const tie = `${listed} cannot be told apart`;
  return isLeading ? tie : `${tie}, and ${brand} is behind`;
}
