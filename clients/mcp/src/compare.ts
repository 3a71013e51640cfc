import type { BrandDocuments } from './documents.ts';
import type { Snapshot } from './weeks.ts';

export interface Week extends Pick<BrandDocuments, 'visibility' | 'competitors' | 'prompts'> {
  snapshot: Pick<Snapshot, 'id' | 'asOf' | 'methodologyVersion'>;
}

type Engine = BrandDocuments['visibility']['perEngine'][number];
type Shares = BrandDocuments['competitors'];
type Share = Shares['shareOfVoice'][number];

interface Score {
  engine: string;
  /** The date of its cycle. */
  date: string;
  score: number;
  bandLow: number | null;
  bandHigh: number | null;
}
type Interval = Pick<Share, 'sovPct' | 'lowPct' | 'highPct'>;

interface ScoreChanges {
  moved: { engine: string; because: string; before: Omit<Score, 'engine'>; after: Omit<Score, 'engine'> }[];
  notMoved: string[];
  notJudged: { engine: string; reason: string }[];
}

interface ShareChanges {
  moved: { name: string; isBrand: boolean; before: Interval; after: Interval }[];
  notMoved: string[];
  notJudged: { name: string; reason: string }[];
  /** Set if a share moved and the names tied for the lead have changed. */
  leaders: { before: string[]; after: string[] } | null;
}

/** What moved, what did not, and what cannot be judged. It contains no differences of numbers. */
export interface Comparison {
  brand: BrandDocuments['visibility']['brand'];
  before: { snapshotId: string; asOf: string };
  after: { snapshotId: string; asOf: string };
  /** Why the numbers of the two weeks cannot be compared directly. */
  notComparable: string[];
  visibility: ScoreChanges;
  shareOfVoice: ShareChanges;
}

/** Compares two weeks by their published bands and intervals only. */
export function comparisonOf(before: Week, after: Week): Comparison {
  const originOf = ({ snapshot: { id, asOf } }: Week) => ({ snapshotId: id, asOf });
  return {
    brand: after.visibility.brand,
    before: originOf(before),
    after: originOf(after),
    notComparable: reasonsAgainst(before, after),
    visibility: compareScores(before.visibility.perEngine, after.visibility.perEngine),
    shareOfVoice: compareShares(before.competitors, after.competitors),
  };
}

function reasonsAgainst(before: Week, after: Week): string[] {
  const differs = (read: (week: Week) => unknown) =>
    JSON.stringify(read(before)) !== JSON.stringify(read(after));
  const asked = ({ prompts }: Week) =>
    prompts.prompts
      .filter(({ isActive }) => isActive)
      .map(({ id, text }) => `${id} ${text}`)
      .toSorted();
  const competitors = ({ competitors: { shareOfVoice } }: Week) =>
    shareOfVoice
      .filter(({ isBrand }) => !isBrand)
      .map(({ name }) => name)
      .toSorted();
  return [
    ...(differs(({ snapshot }) => snapshot.methodologyVersion) ? ['the methodology changed'] : []),
    ...(differs(asked) ? ['the tracked prompts changed'] : []),
    ...(differs(competitors) ? ['the tracked competitors changed: this concerns shareOfVoice'] : []),
  ];
}

function compareScores(before: readonly Engine[], after: readonly Engine[]): ScoreChanges {
  const changes: ScoreChanges = { moved: [], notMoved: [], notJudged: [] };
  for (const engine of new Set([...before, ...after].map(({ slug }) => slug))) {
    const old = before.find(({ slug }) => slug === engine);
    const now = after.find(({ slug }) => slug === engine);
    const reason = whyNotJudged(old, now);
    if (reason !== null) changes.notJudged.push({ engine, reason });
    else if (old!.score === now!.score) changes.notMoved.push(engine);
    else if (now!.isSignificant)
      changes.moved.push(movedScore('the newer score is outside of its drift band', old!, now!));
    else if (isOutside(old!.score, now!))
      changes.moved.push(
        movedScore('the older score is outside of the drift band of the newer one', old!, now!),
      );
    else changes.notMoved.push(engine);
  }
  return changes;
}

function whyNotJudged(old: Engine | undefined, now: Engine | undefined): string | null {
  if (old === undefined || now === undefined) return 'it has a score in one of the weeks only';
  if (old.date === now.date) return 'it has no new cycle';
  return now.isWarmingUp || now.bandLow === null ? 'warming up: there is no band yet' : null;
}

function isOutside(score: number, { bandLow, bandHigh }: Engine): boolean {
  return (bandLow !== null && score < bandLow) || (bandHigh !== null && score > bandHigh);
}

function movedScore(because: string, old: Engine, now: Engine): ScoreChanges['moved'][number] {
  const scoreOf = ({ date, score, bandLow, bandHigh }: Engine) => ({ date, score, bandLow, bandHigh });
  return { engine: now.slug, because, before: scoreOf(old), after: scoreOf(now) };
}

function compareShares(before: Shares, after: Shares): ShareChanges {
  const changes: ShareChanges = { moved: [], notMoved: [], notJudged: [], leaders: null };
  const [was, is] = [byName(before), byName(after)];
  const isEmpty = before.totalMentions === 0 || after.totalMentions === 0;
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const [old, now] = [was.get(key), is.get(key)];
    const { name, isBrand } = (now ?? old)!;
    if (old === undefined || now === undefined)
      changes.notJudged.push({ name, reason: 'it is in one of the weeks only' });
    else if (isEmpty)
      changes.notJudged.push({ name, reason: 'no mentions were counted in one of the weeks' });
    else if (old.highPct < now.lowPct || now.highPct < old.lowPct)
      changes.moved.push({ name, isBrand, before: intervalOf(old), after: intervalOf(now) });
    else changes.notMoved.push(name);
  }
  const haveChanged = JSON.stringify(before.leaders) !== JSON.stringify(after.leaders);
  if (changes.moved.length > 0 && haveChanged)
    changes.leaders = { before: before.leaders, after: after.leaders };
  return changes;
}

function intervalOf({ sovPct, lowPct, highPct }: Share): Interval {
  return { sovPct, lowPct, highPct };
}

/** Rows by name. The brand's own row has a separate key, even if a competitor has its name or it was renamed. */
function byName({ shareOfVoice }: Shares): Map<string, Share> {
  const rows = new Map<string, Share>();
  for (const row of shareOfVoice) {
    const name = row.isBrand ? 'brand' : `competitor ${row.name}`;
    let key = name;
    for (let copy = 2; rows.has(key); copy++) key = `${name} (${copy})`;
    rows.set(key, row);
  }
  return rows;
}
