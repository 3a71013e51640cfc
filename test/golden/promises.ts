/** What the specification promises of documents, in shapes of its own: a second reading beside the schemas of `lib`. */
export interface Visibility {
  overallVisibility: number;
  perEngine: {
    slug: string;
    isWebGrounded: boolean;
    score: number;
    bandLow: number | null;
    bandHigh: number | null;
    isSignificant: boolean;
    isWarmingUp: boolean;
    noAnswerRate: number | null;
  }[];
  trend: Record<string, { date: string; score: number }[]>;
  alerts: { slug: string; score: number }[];
  signals: { netSentiment: number | null; avgPosition: number | null; mentions: number };
}

export interface Stability {
  minCycles: number;
  prompts: {
    promptId: string;
    engines: {
      slug: string;
      cyclesObserved: number;
      isWarmingUp: boolean;
      brandPlacement: string;
      brandStability: number;
      core: { entity: string; stability: number }[];
      carousel: { entity: string; stability: number }[];
    }[];
  }[];
}

export interface Competitors {
  shareOfVoice: {
    isBrand: boolean;
    mentions: number;
    lowPct: number;
    highPct: number;
    halfWidthPp: number;
    tiedWithBrand: boolean;
  }[];
  totalMentions: number;
}

export interface Sources {
  sources: {
    domain: string;
    count: number;
    competitorMentions: number;
    brandMentions: number;
    gap: number;
  }[];
}

export interface Prompts {
  prompts: { id: string; isActive: boolean; createdAt: string }[];
}

/** The placement of a name that was named in this share of cycles (specification: stability). */
export function placementOf(share: number): string {
  if (share >= 0.7) return 'core';
  if (share >= 0.4) return 'emerging';
  return share > 0 ? 'carousel' : 'absent';
}

/** True if no row comes after one whose numbers are larger, compared one after the other. */
export function isOrdered<Row>(rows: readonly Row[], by: (row: Row) => number[]): boolean {
  return rows.every((row, at) => at === 0 || compare(by(rows[at - 1]!), by(row)) <= 0);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}
