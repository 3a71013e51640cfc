import { compareText } from '../../methodology/text.ts';
import type { Competitors } from '../competitors.ts';
import { refuseUnlessOrdered } from './rules.ts';
import type { Rule } from './rules.ts';

type Row = Competitors['shareOfVoice'][number];

/** Two competitors may have the same name: ingest does not refuse it. */
const isByMentions = (a: Row, b: Row) =>
  (b.mentions - a.mentions || Number(b.isBrand) - Number(a.isBrand) || compareText(a.name, b.name)) <= 0;

/** The rules between the fields of a competitors document (methodology, Competitors). */
export const rowsAreInOrder: Rule<Competitors> = (
  { brand, shareOfVoice, totalMentions, answers },
  refuse,
) => {
  const own = shareOfVoice.filter((row) => row.isBrand);
  if (own.length !== 1) refuse(['shareOfVoice'], `must have one row of the brand, has ${own.length}`);
  else if (own[0]!.name !== brand.name) refuse(['shareOfVoice'], "the brand's row must have its name");
  const message = 'rows must be by mentions, most first, then the brand, then by name';
  refuseUnlessOrdered(shareOfVoice, isByMentions, ['shareOfVoice'], message, refuse);
  if (answers === 0 && totalMentions > 0) refuse(['answers'], 'must not be 0 if there are mentions');
  const sum = shareOfVoice.reduce((total, row) => total + row.mentions, 0);
  if (totalMentions !== sum) refuse(['totalMentions'], `must be the sum of all mentions, ${sum}`);
};

export const presencesAreSound: Rule<Competitors> = ({ shareOfVoice, answers }, refuse) => {
  for (const [index, row] of shareOfVoice.entries()) {
    const { answersNaming, mentions } = row;
    const path = ['shareOfVoice', index, 'answersNaming'];
    if (answersNaming > Math.min(mentions, answers) || (answersNaming === 0) !== (mentions === 0)) {
      refuse(path, 'must be from 1 to mentions and answers, and 0 without mentions');
    }
  }
};

export const gapsAreSound: Rule<Competitors> = ({ shareOfVoice, leadersByPrompt }, refuse) => {
  for (const [index, { behindLeader }] of shareOfVoice.entries()) {
    const path = ['shareOfVoice', index, 'behindLeader'];
    if ((behindLeader === null) !== (index === 0 || leadersByPrompt === null))
      refuse(path, 'must be null in the first row, and in every row if leadersByPrompt is null');
    if (behindLeader === null) continue;
    const { gapPp, lowPp, highPp, isBehind } = behindLeader;
    if (lowPp > gapPp || highPp < gapPp) refuse(path, 'must have gapPp between lowPp and highPp');
    if (isBehind ? lowPp < 0 : lowPp > 0) refuse([...path, 'isBehind'], 'must say whether lowPp is above 0');
  }
};
