import type { Competitors } from '../../lib/documents/competitors.ts';
import { OWN_ROW, byKey } from './changes.ts';
import type { Change } from './changes.ts';
import type { Judgement } from './labels.ts';

type Row = Competitors['shareOfVoice'][number];

/** A share has moved if the published 95 % intervals of the two weeks do not touch. */
export function haveMoved(before: Row, after: Row): boolean {
  return before.highPct < after.lowPct || after.highPct < before.lowPct;
}

export function judgeCompetitors(before: Competitors, after: Competitors, change: Change): Judgement {
  if (change.path[0] === 'brand') return 'not judged';
  if (before.totalMentions === 0 || after.totalMentions === 0) return 'insufficient data';
  const [part, key, field] = change.path;
  if (part === 'totalMentions' || part === 'noiseFloorPp') return 'not judged';
  const moved = movedRows(before, after);
  // Order, ties and leaders depend on all rows: they are within noise if every row is.
  if (part === 'leaders' || change.change === 'reordered') return verdictOf(moved.size > 0);
  if (key === undefined || field === undefined || field === 'name') return 'not judged';
  if (field === 'tiedForLead') return verdictOf(moved.size > 0);
  if (field === 'tiedWithBrand') return verdictOf(moved.has(key) || moved.has(OWN_ROW));
  return verdictOf(moved.has(key));
}

function verdictOf(hasMoved: boolean): Judgement {
  return hasMoved ? 'moved' : 'within noise';
}

/** The keys, as in {@link Change.path}, of the rows of both weeks that have moved. */
function movedRows(before: Competitors, after: Competitors): Set<string> {
  const [was, is] = [before, after].map(({ shareOfVoice }) =>
    byKey(shareOfVoice, (row) => (row.isBrand ? OWN_ROW : row.name)),
  );
  const moved = [...is!].filter(([key, { row }]) => {
    const old = was!.get(key);
    return old !== undefined && haveMoved(old.row, row);
  });
  return new Set(moved.map(([key]) => key));
}
