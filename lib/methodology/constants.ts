/** The version of docs/methodology.md that the published numbers follow; every manifest names it. */
export const METHODOLOGY_VERSION = '1.0';

/** The engines (spec 2.3), alphabetical, as they are listed everywhere. */
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

/** Web-grounded engines search the web before they answer and are the only ones that return citations (spec 2.3). */
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

/** Classifications of a citation, in the order that breaks ties (spec 2.7). */
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
export type SourceType = (typeof sourceTypes)[number];

/** Limits of spec section 8. */
export const MIN_CYCLES = 4;
export const WINDOW_DAYS = 14;
export const TREND_SIZE = 120;
export const SOURCES_SIZE = 20;
export const CORE_SIZE = 5;
