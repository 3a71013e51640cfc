/** The parts of a visibility document that the sentences need. */
export interface VisibilityFacts {
  perEngine: readonly {
    slug: string;
    score: number;
    bandLow: number | null;
    bandHigh: number | null;
    isSignificant: boolean;
    isWarmingUp: boolean;
    samePrompts: SamePrompts | null;
    modelsChanged: boolean | null;
  }[];
}

interface SamePrompts {
  prompts: number;
  named: number;
  expected: number;
  isSignificant: boolean;
}

/** The parts of a competitors document that the sentences need. */
export interface CompetitorFacts {
  totalMentions: number;
  shareOfVoice: readonly {
    name: string;
    isBrand: boolean;
    tiedForLead: boolean;
    behindLeader: { isBehind: boolean } | null;
  }[];
  leadersByPrompt: readonly string[] | null;
}

type Engine = VisibilityFacts['perEngine'][number];
type Row = CompetitorFacts['shareOfVoice'][number];

/** The display names of the engines. */
const engineNames: Readonly<Record<string, string>> = {
  ai_mode: 'Google AI Mode',
  ai_overview: 'Google AI Overviews',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  deepseek: 'DeepSeek',
  gemini: 'Gemini',
  grok: 'Grok',
  perplexity: 'Perplexity',
};

/** The slugs of all engines. */
export const engineSlugs: readonly string[] = Object.keys(engineNames);

/** The display name of an engine; an unknown slug is returned unchanged. */
export function engineName(slug: string): string {
  return Object.hasOwn(engineNames, slug) ? engineNames[slug]! : slug;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name for use in a sentence. One with letters that are written from right to left stands between U+2068 and U+2069, so
 * that it does not change the order of the words and numbers around it.
 */
export function isolatedName(name: string): string {
  const plain = name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ' ');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/**
 * A brand's week in plain sentences: first the engines that moved, and whether chance rarely causes that; then everything
 * else, and the names that lead. Made from the published verdicts only: `samePrompts` and `leadersByPrompt` where they
 * exist, otherwise `isSignificant` and `tiedForLead`.
 * @param competitors null if that document is not known; the leaders are then left out
 */
export function weekInWords(
  brandName: string,
  visibility: VisibilityFacts,
  competitors: CompetitorFacts | null,
): string[] {
  const { perEngine } = visibility;
  const brand = isolatedName(brandName);
  if (perEngine.length === 0) return [`No engine has answered a prompt of ${brand} yet.`];
  const moved = [...perEngine.filter(isBeyondChance), ...perEngine.filter(mayBeChance)];
  const standing = competitors === null ? '' : `; ${standingInWords(brandName, competitors)}`;
  return [
    ...moved.slice(0, DESCRIBED).map((engine) => movementInWords(brand, engine)),
    ...othersInWords(moved.slice(DESCRIBED)),
    `${restInWords(perEngine, moved)}${standing}.`,
  ];
}

/** Further engines that moved are named only. */
const DESCRIBED = 2;

/** True if the engine's latest week is reported as a change: by its prompts, or by its band. */
export function hasMoved({ isSignificant, samePrompts }: Engine): boolean {
  return isSignificant || samePrompts?.isSignificant === true;
}

/** True if the change is more than chance usually causes: by its prompts where compared, otherwise by its band. */
export function isBeyondChance({ isSignificant, samePrompts }: Engine): boolean {
  return isCompared(samePrompts) ? samePrompts.isSignificant : isSignificant;
}

/** True if the score is outside its band, but its prompts, compared with themselves, do not confirm it. */
export function mayBeChance(engine: Engine): boolean {
  return hasMoved(engine) && !isBeyondChance(engine);
}

/** False also if the two weeks have no prompt in common. */
function isCompared(samePrompts: Engine['samePrompts']): samePrompts is SamePrompts {
  return samePrompts !== null && samePrompts.prompts > 0;
}

function movementInWords(brand: string, engine: Engine): string {
  const { slug, score, bandLow, bandHigh, samePrompts, modelsChanged } = engine;
  const name = engineName(slug);
  const cause = modelsChanged === true ? ' Its model changed, which may be the reason.' : '';
  if (!isCompared(samePrompts)) {
    const isLower = bandLow !== null && score < bandLow;
    return `${name} is outside its usual range for ${brand}: ${score} %, expected ${bandLow} to ${bandHigh} %. ${verdict(isLower)}${cause}`;
  }
  const { named, prompts, expected } = samePrompts;
  const counts = `${named} of ${prompts} ${prompts === 1 ? 'prompt' : 'prompts'}, ${expected} expected`;
  if (mayBeChance(engine))
    return `${name} is outside its usual range for ${brand} (${score} %), but prompt by prompt that may be chance: ${counts}.${cause}`;
  const isFewer = named < expected;
  const what =
    named === 0 ? `stopped naming ${brand}` : `names ${brand} in ${isFewer ? 'fewer' : 'more'} prompts`;
  return `${name} ${what}: ${counts}. ${verdict(isFewer)}${cause}`;
}

/** What chance does to one engine; not how likely it is that chance was the reason. */
function verdict(isLower: boolean): string {
  return `Chance rarely causes such a ${isLower ? 'drop' : 'rise'}.`;
}

function othersInWords(others: readonly Engine[]): string[] {
  const sentence = (engines: readonly Engine[], verdictText: string) =>
    engines.length === 0
      ? []
      : [`${listOf(engines.map(({ slug }) => engineName(slug)))} moved too, ${verdictText}.`];
  return [
    ...sentence(others.filter(isBeyondChance), 'more than chance usually causes'),
    ...sentence(others.filter(mayBeChance), 'but prompt by prompt that may be chance'),
  ];
}

/** The engines that did not move, without the full stop. */
function restInWords(perEngine: readonly Engine[], moved: readonly Engine[]): string {
  const rest = perEngine.filter((engine) => !moved.includes(engine));
  const warming = rest.filter(({ isWarmingUp }) => isWarmingUp);
  if (rest.length === 0) return 'No other engine has a score';
  if (warming.length === rest.length)
    return moved.length === 0
      ? 'All engines are warming up, so nothing can be judged yet'
      : 'All other engines are warming up';
  const calm = `${moved.length === 0 ? 'Every engine' : 'Everything else'} is within its usual range`;
  if (warming.length === 0) return calm;
  const names = listOf(warming.map(({ slug }) => engineName(slug)));
  return `${calm}, but ${names} ${warming.length === 1 ? 'is' : 'are'} warming up`;
}

/** The rows that lead: by prompt where that is known, otherwise by the intervals of the shares. */
export function leadingRows<R extends Row>({
  shareOfVoice,
  leadersByPrompt,
}: Omit<CompetitorFacts, 'shareOfVoice'> & { shareOfVoice: readonly R[] }): R[] {
  return shareOfVoice.filter((row) =>
    leadersByPrompt !== null ? row.behindLeader?.isBehind !== true : row.tiedForLead,
  );
}

/** Which names lead the share of voice, without the full stop. */
export function standingInWords(brandName: string, competitors: CompetitorFacts): string {
  const brand = isolatedName(brandName);
  if (competitors.shareOfVoice.every(({ isBrand }) => isBrand)) return 'no competitors are tracked';
  if (competitors.totalMentions === 0)
    return `neither ${brand} nor a competitor was named in the last 14 days`;
  const leading = leadingRows(competitors);
  const names = listOf(leading.map(({ name }) => isolatedName(name)));
  const isLeading = leading.some(({ isBrand }) => isBrand);
  if (leading.length === 1) return isLeading ? `${brand} leads` : `${names} leads, and ${brand} is behind`;
  const tie = `${names} cannot be told apart`;
  return isLeading ? tie : `${tie}, and ${brand} is behind`;
}

/** More names than this are counted, not listed. */
const LISTED = 4;

function listOf(names: readonly string[]): string {
  const shown =
    names.length > LISTED ? [...names.slice(0, LISTED - 1), `${names.length - LISTED + 1} others`] : names;
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
