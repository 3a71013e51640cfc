import type { Visibility } from '../../lib/documents/visibility.ts';
import type { Change } from './changes.ts';
import type { Judgement } from './labels.ts';

type EngineScore = Visibility['perEngine'][number];

/**
 * A score has moved if the newer week's drift band does not contain both scores, or the newer score is flagged
 * significant. While the engine warms up there is no band: insufficient data.
 */
export function judgeScore(before: EngineScore | undefined, after: EngineScore | undefined): Judgement {
  if (before === undefined || after === undefined) return 'not judged';
  if (after.isWarmingUp || after.bandLow === null || after.bandHigh === null) return 'insufficient data';
  if (after.isSignificant) return 'moved';
  return before.score >= after.bandLow && before.score <= after.bandHigh ? 'within noise' : 'moved';
}

export function judgeVisibility(before: Visibility, after: Visibility, change: Change): Judgement {
  const [part, slug] = change.path;
  if (part === 'overallVisibility') return judgeOverall(before, after);
  if (part === 'trend') return judgePoint(before, after, change);
  if (part === 'alerts') return change.change === 'added' ? 'moved' : judgeEngine(before, after, slug);
  if (part === 'signals') {
    return before.signals.mentions === 0 || after.signals.mentions === 0 ? 'insufficient data' : 'not judged';
  }
  return part === 'perEngine' && change.path.length > 2
    ? judgeField(before, after, slug, change.path[2]!)
    : 'not judged';
}

function engineOf({ perEngine }: Visibility, slug: string | undefined): EngineScore | undefined {
  return perEngine.find((engine) => engine.slug === slug);
}

function judgeEngine(before: Visibility, after: Visibility, slug: string | undefined): Judgement {
  return judgeScore(engineOf(before, slug), engineOf(after, slug));
}

/**
 * The mean has moved if one of the scores that changed has moved; a score that is outside its band but unchanged does
 * not count.
 */
function judgeOverall(before: Visibility, after: Visibility): Judgement {
  const all = after.perEngine.flatMap((engine) => {
    const old = engineOf(before, engine.slug);
    return old === undefined || old.score === engine.score ? [] : [judgeScore(old, engine)];
  });
  if (all.includes('moved')) return 'moved';
  return all.length === 0 || all.includes('insufficient data') ? 'insufficient data' : 'within noise';
}

function judgeField(
  before: Visibility,
  after: Visibility,
  slug: string | undefined,
  field: string,
): Judgement {
  if (field === 'score' || field === 'isSignificant') return judgeEngine(before, after, slug);
  if (field === 'noAnswerRate') return 'not judged';
  const hasNewCycle = engineOf(before, slug)?.date !== engineOf(after, slug)?.date;
  return hasNewCycle ? 'new cycle' : 'not judged';
}

/** The newest point is the engine's score; older ones only change when late runs are delivered. */
function judgePoint(before: Visibility, after: Visibility, { path, change }: Change): Judgement {
  const slug = path[1] as EngineScore['slug'];
  const date = path[2];
  if (date === undefined) return 'new cycle';
  const was = before.trend[slug] ?? [];
  const is = after.trend[slug] ?? [];
  if (change === 'added' && date > (was.at(-1)?.date ?? '')) return 'new cycle';
  if (change === 'removed' && date < (is[0]?.date ?? '')) return 'new cycle';
  const isLatest = date === is.at(-1)?.date && date === was.at(-1)?.date;
  return change === 'changed' && isLatest ? judgeEngine(before, after, slug) : 'not judged';
}
