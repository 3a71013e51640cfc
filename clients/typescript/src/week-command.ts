import { counted } from '../../../lib/weeks/names.ts';
import { Sightline } from './client.ts';
import { factsInWords, urgentFirst } from './words.ts';

export interface WeekOptions {
  baseUrl: string;
  apiKey: string;
  /** The id of a snapshot; absent: the current week. */
  snapshot: string | undefined;
}

/** The week of all brands as Markdown, for a mail or a chat. @throws SightlineError if it cannot be read */
export async function weekAsMarkdown({ baseUrl, apiKey, snapshot }: WeekOptions): Promise<string> {
  const client = new Sightline({ baseUrl, apiKey, store: null, userAgent: 'week' });
  const { data } = await (snapshot === undefined ? client.getWeek() : client.getWeekOfSnapshot(snapshot));
  const { asOf, brands } = data;
  if (asOf === null) return 'Nothing has been published yet.\n';
  const sections = urgentFirst(brands).map((facts) => {
    const { brand, overallVisibility, engines, shareOfVoice, results } = facts;
    const { cycle, won, lost } = results;
    const numbers = [
      ...(engines.length === 0 ? [] : [`visibility ${overallVisibility} %`]),
      ...(shareOfVoice.totalMentions === 0 ? [] : [`share of voice ${shareOfVoice.sovPct} %`]),
      ...(cycle === null ? [] : [`${counted(won, 'prompt')} won and ${lost} lost`]),
    ];
    const inNumbers = numbers.length === 0 ? '' : `\n\n${escaped(numbers.join(', '))}.`;
    return `## ${escaped(brand.name)}\n\n${escaped(factsInWords(facts, asOf).join(' '))}${inNumbers}\n`;
  });
  return [`# The week as of ${asOf.slice(0, 10)}\n`, ...sections].join('\n');
}

/** Names were written by people: none of them may become markup or a link. */
function escaped(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#|!~@&]/g, String.raw`\$&`);
}
