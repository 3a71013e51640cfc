import { judgeShare } from '../../clients/typescript/src/judge.ts';
import type { Competitors } from '../../lib/documents/competitors.ts';
import { OWN_ROW, byKey } from './changes.ts';
import type { Change } from './changes.ts';
import { notJudged } from './labels.ts';
import type { Verdict } from './labels.ts';

type Row = Competitors['shareOfVoice'][number];

export function judgeCompetitors(before: Competitors, after: Competitors, change: Change): Verdict {
  const [part, key, field] = change.path;
  if (part === 'brand') return notJudged;
  if (before.totalMentions === 0 || after.totalMentions === 0)
    return { judgement: 'insufficient data', rule: null };
  if (part === 'totalMentions' || part === 'noiseFloorPp' || part === 'answers') return notJudged;
  const verdicts = verdictsOfRows(before, after);
  // Order, ties and leaders depend on all rows: they are within noise if every row is.
  const ofAll = ofAny([...verdicts.values()]);
  if (part === 'leaders' || part === 'leadersByPrompt' || change.change === 'reordered') return ofAll;
  if (key === undefined || field === undefined || field === 'name') return notJudged;
  if (field === 'tiedForLead' || change.path[3] === 'isBehind') return ofAll;
  if (field === 'tiedWithBrand') return ofAny([verdicts.get(key), verdicts.get(OWN_ROW)]);
  if (field.startsWith('presence') || field === 'answersNaming') return judgePresence(before, after, key);
  return ofAny([verdicts.get(key)]);
}

/** Moved if one of the rows has; otherwise the first one's rule. */
function ofAny(verdicts: readonly (Verdict | undefined)[]): Verdict {
  const known = verdicts.filter((verdict) => verdict !== undefined);
  return known.find(({ judgement }) => judgement === 'moved') ?? known[0] ?? notJudged;
}

/** The share of answers has an interval of its own. */
function judgePresence(before: Competitors, after: Competitors, key: string): Verdict {
  const [old, now] = [rowsOf(before).get(key)?.row, rowsOf(after).get(key)?.row];
  if (old === undefined || now === undefined) return notJudged;
  const isApart = old.presenceHighPct < now.presenceLowPct || now.presenceHighPct < old.presenceLowPct;
  return { judgement: isApart ? 'moved' : 'within noise', rule: 'interval' };
}

/** By the key of the row, as in {@link Change.path}, for the rows of both weeks. */
function verdictsOfRows(before: Competitors, after: Competitors): Map<string, Verdict> {
  const [was, is] = [rowsOf(before), rowsOf(after)];
  const isSameFirst = [...was.keys()][0] === [...is.keys()][0];
  const verdicts = new Map<string, Verdict>();
  for (const [key, { row }] of is) {
    const old = was.get(key);
    if (old === undefined) continue;
    const { verdict: judgement, rule } = judgeShare(old.row, row, isSameFirst);
    verdicts.set(key, { judgement, rule });
  }
  return verdicts;
}

function rowsOf({ shareOfVoice }: Competitors) {
  return byKey<Row>(shareOfVoice, (row) => (row.isBrand ? OWN_ROW : row.name));
}
