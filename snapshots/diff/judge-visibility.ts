import { judgeScore as judgeByRule } from '../../lib/weeks/judge.ts';
import type { Visibility } from '../../lib/documents/visibility.ts';
import type { Change } from './changes.ts';
import { notJudged } from './labels.ts';
import type { Verdict } from './labels.ts';

type EngineScore = Visibility['perEngine'][number];

/** Judges an engine's score; see the rules of the client. Only a score that both weeks have is judged. */
function judgeEngine(before: Visibility, after: Visibility, slug: string | undefined): Verdict {
  const [old, now] = [engineOf(before, slug), engineOf(after, slug)];
  if (old === undefined || now === undefined) return notJudged;
  const { verdict, rule } = judgeByRule(old, now, after.moved.includes(now.slug));
  return { judgement: verdict, rule };
}

export function judgeVisibility(before: Visibility, after: Visibility, change: Change): Verdict {
  const [part, slug] = change.path;
  if (part === 'overallVisibility') return judgeOverall(before, after);
  if (part === 'moved' || part === 'silent') return { judgement: 'new cycle', rule: null };
  if (part === 'trend') return judgePoint(before, after, change);
  if (part === 'alerts')
    return change.change === 'added' ? judgeNewAlert(after, slug) : judgeEngine(before, after, slug);
  if (part === 'signals') {
    const isEmpty = before.signals.mentions === 0 || after.signals.mentions === 0;
    return isEmpty ? { judgement: 'insufficient data', rule: null } : notJudged;
  }
  return part === 'perEngine' && change.path.length > 2
    ? judgeField(before, after, slug, change.path.slice(2))
    : notJudged;
}

function engineOf({ perEngine }: Visibility, slug: string | undefined): EngineScore | undefined {
  return perEngine.find((engine) => engine.slug === slug);
}

/** Also on an engine that the older week does not have. An engine that has moved is in `moved`. */
function judgeNewAlert({ moved }: Visibility, slug: string | undefined): Verdict {
  const hasMoved = moved.some((each) => each === slug);
  return { judgement: hasMoved ? 'moved' : 'possibly chance', rule: 'engines together' };
}

/** The first of these that one of the scores has is that of their mean. */
const ofMean = ['moved', 'possibly chance', 'insufficient data', 'within noise'] as const;

/**
 * The mean has moved if one of the scores that changed has moved; a score that is outside its band but unchanged does
 * not count.
 */
function judgeOverall(before: Visibility, after: Visibility): Verdict {
  const all = after.perEngine.flatMap((engine) => {
    const old = engineOf(before, engine.slug);
    return old === undefined || old.score === engine.score ? [] : [judgeEngine(before, after, engine.slug)];
  });
  const [found] = ofMean.flatMap((judgement) => all.filter((verdict) => verdict.judgement === judgement));
  return found ?? { judgement: 'insufficient data', rule: null };
}

function judgeField(
  before: Visibility,
  after: Visibility,
  slug: string | undefined,
  [field, part]: readonly string[],
): Verdict {
  if (field === 'score' || field === 'isSignificant' || (field === 'samePrompts' && part === 'isSignificant'))
    return judgeEngine(before, after, slug);
  if (field === 'noAnswerRate') return notJudged;
  const hasNewCycle = engineOf(before, slug)?.date !== engineOf(after, slug)?.date;
  return hasNewCycle ? { judgement: 'new cycle', rule: null } : notJudged;
}

/** The newest point is the engine's score; older ones only change when late runs are delivered. */
function judgePoint(before: Visibility, after: Visibility, { path, change }: Change): Verdict {
  const newCycle: Verdict = { judgement: 'new cycle', rule: null };
  const slug = path[1] as EngineScore['slug'];
  const date = path[2];
  if (date === undefined) return newCycle;
  const [was, is] = [before.trend[slug]!, after.trend[slug]!];
  if (change === 'added' && was.every((point) => date > point.date)) return newCycle;
  if (change === 'removed' && is.every((point) => date < point.date)) return newCycle;
  const isLatest = date === is.at(-1)?.date && date === was.at(-1)?.date;
  return change === 'changed' && isLatest ? judgeEngine(before, after, slug) : notJudged;
}
