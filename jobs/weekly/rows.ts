import type { EngineSlug, SourceType } from '../../lib/methodology.ts';

/** The rows that the queries of jobs/sql yield for each brand: integers and texts, no ratio among them. */

export interface BrandRow {
  brand_no: number;
  workspace_id: string;
  id: string;
  name: string;
  domain: string;
  created_at: bigint;
}

export interface ScoreRow {
  brand_no: number;
  engine: EngineSlug;
  date: string;
  answered: number;
  named: number;
  in_trend: boolean;
}

export interface SilenceRow {
  brand_no: number;
  engine: EngineSlug;
  silent: number;
  answered: number;
}

export interface SignalsRow {
  brand_no: number;
  mentions: number;
  positive: number;
  neutral: number;
  negative: number;
  answers: number;
  position_sum: bigint;
}

export interface CompetitorRow {
  brand_no: number;
  id: string;
}

export interface ShareRow {
  brand_no: number;
  name: string;
  is_brand: boolean;
  mentions: number;
}

export interface SourceRow {
  brand_no: number;
  domain: string;
  count: number;
  source_type: SourceType;
  competitor_mentions: number;
  brand_mentions: number;
  is_own_domain: boolean;
}

export interface PromptRow {
  brand_no: number;
  id: string;
  text: string;
  is_active: boolean;
  created_at: bigint;
}

/** All that is known of one brand. */
export interface BrandRows {
  brand: BrandRow;
  scores: ScoreRow[];
  silence: SilenceRow[];
  signals: SignalsRow | undefined;
  competitors: CompetitorRow[];
  shares: ShareRow[];
  sources: SourceRow[];
  prompts: PromptRow[];
}
