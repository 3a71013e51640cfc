import { judgeShare } from '../../lib/weeks/judge.ts';
import type { Competitors } from '../../lib/documents/competitors.ts';
import type { Stability } from '../../lib/documents/stability.ts';
import type { Timeline } from '../../lib/documents/timeline.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import type { BrandDocuments } from './causes.ts';
import { OWN_ROW, sharesByKey } from '../../lib/weeks/rows.ts';
import type { Change } from './changes.ts';
import { judgeVisibility } from './judge-visibility.ts';
import { notJudged } from './labels.ts';
import type { Verdict } from './labels.ts';

/** Judges a change in one of a brand's documents by the published verdicts, intervals and bands. */
export function judge(
  document: DocumentKind,
  before: BrandDocuments,
  after: BrandDocuments,
  change: Change,
): Verdict {
  if (document === 'visibility') return judgeVisibility(before.visibility, after.visibility, change);
  if (document === 'competitors') return judgeCompetitors(before.competitors, after.competitors, change);
  if (document === 'results') return judgeResults(change);
  if (document === 'stability') return judgeStability(before.stability, after.stability, change);
  if (document === 'timeline') return judgeTimeline(before.timeline, after.timeline, change);
  return notJudged;
}

function unruled(judgement: Verdict['judgement']): Verdict {
  return { judgement, rule: null };
}

/** The fields of a result that each cycle changes. */
const ofEachCycle = new Set<string | undefined>([
  'date',
  'previousDate',
  'previousPosition',
  'wasNamed',
  'evidence',
]);

/** One prompt on one engine is one random draw, so its changes are not judged. */
function judgeResults({ path }: Change): Verdict {
  return ofEachCycle.has(path[4]) ? unruled('new cycle') : notJudged;
}

/** Lists grow by a cycle each week; without one, late runs changed a past cycle. */
function judgeTimeline(before: Timeline, after: Timeline, { path }: Change): Verdict {
  const slug = path[0] === 'names' ? path[3] : path[1];
  const [was, is] = [before, after].map(({ engines }) => engines.find((engine) => engine.slug === slug));
  return was?.dates.at(-1) === is?.dates.at(-1) ? notJudged : unruled('new cycle');
}

/** Shares of cycles are published without an interval: they are not judged, or provisional while warming up. */
function judgeStability(before: Stability, after: Stability, { path }: Change): Verdict {
  const [, promptId, , slug, field] = path;
  if (field === 'cyclesObserved' || field === 'isWarmingUp') return unruled('new cycle');
  const isProvisional = [before, after].some((document) => isWarmingUp(document, promptId, slug));
  return isProvisional ? unruled('insufficient data') : notJudged;
}

function isWarmingUp(
  { prompts }: Stability,
  promptId: string | undefined,
  slug: string | undefined,
): boolean | undefined {
  const prompt = prompts.find((candidate) => candidate.promptId === promptId);
  return prompt?.engines.some((engine) => engine.slug === slug && engine.isWarmingUp);
}

function judgeCompetitors(before: Competitors, after: Competitors, change: Change): Verdict {
  const [part, key, field] = change.path;
  // The counts on one engine have no interval.
  if (part === 'brand' || part === 'perEngine' || field === 'perEngine') return notJudged;
  if ([before, after].some(({ totalMentions }) => totalMentions === 0)) return unruled('insufficient data');
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

/** Moved if one of the rows has; otherwise the first one's rule. Both weeks have one of them at least, the brand's. */
function ofAny(verdicts: readonly (Verdict | undefined)[]): Verdict {
  const known = verdicts.filter((verdict) => verdict !== undefined);
  return known.find(({ judgement }) => judgement === 'moved') ?? known[0]!;
}

/** The share of answers has an interval of its own. @param key of a row that both weeks have */
function judgePresence(before: Competitors, after: Competitors, key: string): Verdict {
  const rowIn = ({ shareOfVoice }: Competitors) => sharesByKey(shareOfVoice).get(key)!.row;
  const [old, now] = [rowIn(before), rowIn(after)];
  const isApart = old.presenceHighPct < now.presenceLowPct || now.presenceHighPct < old.presenceLowPct;
  return { judgement: isApart ? 'moved' : 'within noise', rule: 'interval' };
}

/** By the key of the row, as in {@link Change.path}, for the rows of both weeks. */
function verdictsOfRows(before: Competitors, after: Competitors): Map<string, Verdict> {
  const [was, is] = [sharesByKey(before.shareOfVoice), sharesByKey(after.shareOfVoice)];
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
