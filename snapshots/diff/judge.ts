import type { Stability } from '../../lib/documents/stability.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import type { BrandDocuments } from './causes.ts';
import type { Change } from './changes.ts';
import { judgeCompetitors } from './judge-competitors.ts';
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
  if (change.change === 'field_added') return unruled('field added');
  if (document === 'visibility') return judgeVisibility(before.visibility, after.visibility, change);
  if (document === 'competitors') return judgeCompetitors(before.competitors, after.competitors, change);
  if (document === 'results') return judgeResults(change);
  if (document === 'stability') return judgeStability(before.stability, after.stability, change);
  return notJudged;
}

function unruled(judgement: Verdict['judgement']): Verdict {
  return { judgement, rule: null };
}

/** One prompt on one engine is one random draw, so its changes are not judged. */
function judgeResults({ path }: Change): Verdict {
  return /^(?:date|previous|was|evidence)/.test(path[4] ?? '') ? unruled('new cycle') : notJudged;
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
): boolean {
  const prompt = prompts.find((candidate) => candidate.promptId === promptId);
  return prompt?.engines.some((engine) => engine.slug === slug && engine.isWarmingUp) ?? false;
}
