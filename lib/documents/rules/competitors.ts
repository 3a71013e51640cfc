import { shareOfVoice as sharesOf } from '../../methodology/share-of-voice.ts';
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

export const sharesAgree: Rule<Competitors> = ({ shareOfVoice, totalMentions, noiseFloorPp }, refuse) => {
  const expected = sharesOf(shareOfVoice, totalMentions);
  for (const [index, row] of shareOfVoice.entries()) {
    const expectedRow = expected.shareOfVoice[index]!;
    for (const field of Object.keys(expectedRow) as (keyof Row)[]) {
      if (row[field] === expectedRow[field]) continue;
      refuse(
        ['shareOfVoice', index, field],
        `must be ${expectedRow[field]} for ${row.mentions} of ${totalMentions} mentions`,
      );
    }
  }
  if (noiseFloorPp !== expected.noiseFloorPp) {
    refuse(['noiseFloorPp'], `must be ${expected.noiseFloorPp}, by the widest intervals`);
  }
};

export const leadersFollow: Rule<Competitors> = ({ leaders, shareOfVoice }, refuse) => {
  const tied = shareOfVoice.filter((row) => row.tiedForLead).map((row) => row.name);
  if (leaders.length !== tied.length || leaders.some((name, at) => name !== tied[at])) {
    refuse(['leaders'], 'must be the names of the rows tied for the lead, in order');
  }
};
