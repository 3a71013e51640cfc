/** The version of docs/methodology.md that the published numbers follow; every manifest names it. */
export const METHODOLOGY_VERSION = '1.0';

/** The engines in alphabetical order, as they are listed everywhere. */
export const engineSlugs = [
  'ai_mode',
  'ai_overview',
  'chatgpt',
  'claude',
  'deepseek',
  'gemini',
  'grok',
  'perplexity',
] as const;
export type EngineSlug = (typeof engineSlugs)[number];

/** Web-grounded engines search the web before they answer and are the only ones that return citations. */
export const webGrounded: Record<EngineSlug, boolean> = {
  ai_mode: true,
  ai_overview: true,
  chatgpt: false,
  claude: false,
  deepseek: false,
  gemini: false,
  grok: false,
  perplexity: true,
};

/** Classifications of a citation, in the order that breaks ties (methodology, Sources). */
export const sourceTypes = [
  'ugc',
  'forum',
  'corporate',
  'listicle',
  'review',
  'news',
  'docs',
  'other',
] as const;

/** With fewer cycles or scores than this, a number is warming up. */
export const MIN_CYCLES = 4;
/** Days of the window of runs, up to the as-of instant. */
export const WINDOW_DAYS = 14;
/** An answer is of the week of a snapshot if it is fewer days than this before it. */
export const WEEK_DAYS = 10;
/** An engine that ran in this number of days before a snapshot is in use. */
export const IN_USE_DAYS = 60;
/** The most prior scores that a drift band uses. */
export const MAX_PRIOR_SCORES = 12;
/** With mentions in fewer prompts than this, no row is compared with the first one by prompt. */
export const MIN_PROMPTS_COMPARED = 5;
/** Scores in the trend of a brand, at most. */
export const TREND_SIZE = 120;
/** With fewer scores than this, the newest four weeks are not compared with those before. */
export const MIN_SCORES_FOUR_WEEKS = 8;
/** The same with fewer prompts than this. */
export const MIN_PROMPTS_FOUR_WEEKS = 20;
/** The share of engines called moved by chance alone, at most (methodology, Questions). */
export const FALSE_DISCOVERY_RATE = 0.05;
/** Cycles of an engine in the timeline, at most: two years. */
export const TIMELINE_SIZE = 104;
/** Domains in the sources of a brand, at most. */
export const SOURCES_SIZE = 20;
/** A name is core if it appeared in at least this percentage of the observed cycles. */
export const CORE_PERCENT = 70;
/** A name is emerging from this percentage up to CORE_PERCENT. */
export const EMERGING_PERCENT = 40;
/** Names in the core of a prompt on an engine, at most. */
export const CORE_SIZE = 5;
