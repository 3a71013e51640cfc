import { causeWords, causesOnEngines, competitorsTracked, promptsAsked } from './causes.ts';
import type { WeekFacts } from './causes.ts';
import { judgeScore, judgeShare } from './judge.ts';
import type { ScoreRule, ShareRule } from './judge.ts';
import { sharesByKey } from './rows.ts';
import { engineName } from './words.ts';
import type { CompetitorFacts, VisibilityFacts } from './words.ts';

/** The documents of a brand in one week, and the snapshot that they are from. */
export interface Week {
  snapshot: { id: string; asOf: string; methodologyVersion: string };
  visibility: VisibilityFacts & { brand: Brand; perEngine: readonly Engine[] };
  competitors: Competitors;
  prompts: Parameters<typeof promptsAsked>[0];
  results: WeekFacts['results'];
}

interface Brand {
  id: string;
  name: string;
  domain: string;
}

type Engine = VisibilityFacts['perEngine'][number] & {
  bandLow: number | null;
  bandHigh: number | null;
  promptsAnswered: number;
  answers: number;
  models: readonly string[];
};

type Share = CompetitorFacts['shareOfVoice'][number] & {
  sovPct: number;
  lowPct: number;
  highPct: number;
  behindLeader: { gapPp: number; lowPp: number; highPp: number } | null;
};

type Competitors = CompetitorFacts & { shareOfVoice: readonly Share[]; leaders: readonly string[] };

type Score = Pick<Engine, 'date' | 'score' | 'bandLow' | 'bandHigh' | 'samePrompts'>;
type Interval = Pick<Share, 'sovPct' | 'lowPct' | 'highPct' | 'behindLeader'>;

export interface ScoreChanges {
  moved: { engine: string; rule: ScoreRule; because: string; before: Score; after: Score }[];
  /** Alerts and the like that are not confirmed when all engines are judged together. */
  possiblyChance: { engine: string; because: string }[];
  notMoved: string[];
  notJudged: { engine: string; reason: string }[];
}

export interface ShareChanges {
  moved: {
    name: string;
    isBrand: boolean;
    rule: ShareRule;
    because: string;
    before: Interval;
    after: Interval;
  }[];
  notMoved: string[];
  notJudged: { name: string; reason: string }[];
  /** The names that were judged, by the rule that was used. */
  rules: { gapByPrompt: string[]; interval: string[] };
  /** Set if a share moved and the leaders have changed: by prompt where both weeks have that, otherwise by intervals. */
  leaders: { before: readonly string[]; after: readonly string[]; areByPrompt: boolean } | null;
}

/** What moved, what did not, and what cannot be judged. It contains no differences of numbers. */
export interface Comparison {
  brand: Brand;
  before: { snapshotId: string; asOf: string };
  after: { snapshotId: string; asOf: string };
  /** Why the numbers of the two weeks cannot be compared directly. */
  notComparable: string[];
  visibility: ScoreChanges;
  shareOfVoice: ShareChanges;
}

/** Compares two weeks by their published verdicts, bands and intervals only. */
export function comparisonOf(before: Week, after: Week): Comparison {
  const originOf = ({ snapshot: { id, asOf } }: Week) => ({ snapshotId: id, asOf });
  return {
    brand: after.visibility.brand,
    before: originOf(before),
    after: originOf(after),
    notComparable: reasonsAgainst(before, after),
    visibility: compareScores(before.visibility, after.visibility),
    shareOfVoice: compareShares(before.competitors, after.competitors),
  };
}

function reasonsAgainst(before: Week, after: Week): string[] {
  const differs = (read: (week: Week) => unknown) =>
    JSON.stringify(read(before)) !== JSON.stringify(read(after));
  return [
    ...(differs(({ snapshot }) => snapshot.methodologyVersion) ? [causeWords['methodology changed']] : []),
    ...(differs(({ prompts }) => promptsAsked(prompts)) ? [causeWords['prompts changed']] : []),
    ...(differs(({ competitors }) => competitorsTracked(competitors))
      ? [causeWords['competitors changed']]
      : []),
    ...causesOnEngines(before, after).map(({ slug, text }) => `${engineName(slug)}: ${text}`),
  ];
}

type Scores = Pick<VisibilityFacts, 'moved' | 'silent'> & { perEngine: readonly Engine[] };

function compareScores(
  { perEngine: before }: Scores,
  { perEngine: after, moved, silent }: Scores,
): ScoreChanges {
  const changes: ScoreChanges = { moved: [], possiblyChance: [], notMoved: [], notJudged: [] };
  for (const engine of new Set([...before, ...after].map(({ slug }) => slug))) {
    const old = before.find(({ slug }) => slug === engine);
    const now = after.find(({ slug }) => slug === engine);
    const isSilent = silent.some(({ slug }) => slug === engine);
    if (isSilent) {
      changes.notJudged.push({ engine, reason: 'it gave no answer lately' });
      continue;
    }
    if (old === undefined || now === undefined || old.date === now.date) {
      const reason =
        old === undefined || now === undefined
          ? 'it has a score in one of the weeks only'
          : 'it has no new cycle';
      changes.notJudged.push({ engine, reason });
      continue;
    }
    const { verdict, rule, because } = judgeScore(old, now, moved.includes(engine));
    if (rule === null) {
      changes.notJudged.push({ engine, reason: because });
      continue;
    }
    if (verdict === 'possibly chance') changes.possiblyChance.push({ engine, because });
    else if (verdict === 'moved' && old.score !== now.score)
      changes.moved.push({ engine, rule, because, before: scoreOf(old), after: scoreOf(now) });
    else changes.notMoved.push(engine);
  }
  return changes;
}

function scoreOf({ date, score, bandLow, bandHigh, samePrompts }: Engine): Score {
  return { date, score, bandLow, bandHigh, samePrompts };
}

function compareShares(before: Competitors, after: Competitors): ShareChanges {
  const rules: ShareChanges['rules'] = { gapByPrompt: [], interval: [] };
  const changes: ShareChanges = { moved: [], notMoved: [], notJudged: [], rules, leaders: null };
  const [was, is] = [sharesByKey(before.shareOfVoice), sharesByKey(after.shareOfVoice)];
  const isEmpty = before.totalMentions === 0 || after.totalMentions === 0;
  const isSameFirst = [...was.keys()][0] === [...is.keys()][0];
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const [old, now] = [was.get(key)?.row, is.get(key)?.row];
    const { name, isBrand } = (now ?? old)!;
    if (old === undefined || now === undefined || isEmpty) {
      const isMissing = old === undefined || now === undefined;
      const reason = isMissing
        ? 'it is in one of the weeks only'
        : 'no mentions were counted in one of the weeks';
      changes.notJudged.push({ name, reason });
      continue;
    }
    const { verdict, rule, because } = judgeShare(old, now, isSameFirst);
    rules[rule === 'gap by prompt' ? 'gapByPrompt' : 'interval'].push(name);
    const shares = { before: intervalOf(old), after: intervalOf(now) };
    if (verdict === 'moved') changes.moved.push({ name, isBrand, rule: rule!, because, ...shares });
    else changes.notMoved.push(name);
  }
  if (changes.moved.length > 0) changes.leaders = changedLeaders(before, after);
  return changes;
}

/** Null if the leaders are the same. */
function changedLeaders(before: Competitors, after: Competitors): ShareChanges['leaders'] {
  const [was, is] = [before.leadersByPrompt, after.leadersByPrompt];
  const areByPrompt = was !== null && is !== null;
  const leaders = areByPrompt ? { before: was, after: is } : { before: before.leaders, after: after.leaders };
  const isSame = JSON.stringify(leaders.before) === JSON.stringify(leaders.after);
  return isSame ? null : { ...leaders, areByPrompt };
}

function intervalOf({ sovPct, lowPct, highPct, behindLeader }: Share): Interval {
  return { sovPct, lowPct, highPct, behindLeader };
}
