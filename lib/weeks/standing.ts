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
  const brand = isolatedName(brandName);
  if (competitors.shareOfVoice.every(({ isBrand }) => isBrand)) return 'no competitors are tracked';
  if (competitors.totalMentions === 0)
    return `neither ${brand} nor a competitor was named in the last 14 days`;
  const leading = leadingRows(competitors);
  const names = listOf(leading.map(({ name }) => isolatedName(name)));
  const isLeading = leading.some(({ isBrand }) => isBrand);
  if (leading.length === 1) return isLeading ? `${brand} leads` : `${names} leads, and ${brand} is behind`;
  const tie = `${names} cannot be told apart`;
  return isLeading ? tie : `${tie}, and ${brand} is behind`;
}
