import { engineName } from '../../clients/typescript/src/words.ts';
import type { DocumentName } from '../../lib/documents/kinds.ts';
import { OWN_ROW, isKeyOfRow } from './changes.ts';
import type { Change, Json } from './changes.ts';

/** Headings of the documents. */
export const documentTitles: Record<DocumentName, string> = {
  brands: 'Brand',
  visibility: 'Visibility',
  stability: 'Core and carousel',
  competitors: 'Share of voice',
  sources: 'Sources',
  results: 'Won and lost',
  prompts: 'Prompts',
};

/** Words for every field of the documents; '' if the place is clear without it. */
export const fieldWords: Record<string, string> = {
  alerts: 'alerts',
  answers: 'answers',
  answersNaming: 'answers that name the brand',
  avgPosition: 'mean position',
  bandHigh: 'upper edge of the drift band',
  bandLow: 'lower edge of the drift band',
  brand: 'brand',
  brandMentions: 'mentions of the brand',
  brandPlacement: 'placement of the brand',
  brandStability: "the brand's share of cycles",
  behindLeader: 'behind the first row',
  carousel: 'carousel',
  change: 'change',
  competitorMentions: 'mentions of competitors',
  core: 'core',
  count: 'citations',
  createdAt: 'created',
  cyclesObserved: 'cycles observed',
  date: 'cycle',
  domain: 'domain',
  engines: '',
  entity: 'name',
  events: 'events',
  evidence: 'links and hashes of answers',
  expected: 'prompts expected to name the brand',
  gap: 'gap',
  gapPp: 'gap',
  halfWidthPp: 'half width of the interval',
  highPct: 'upper end of the interval',
  highPp: 'upper end of its interval',
  id: 'id',
  isActive: 'active',
  isBehind: 'is behind',
  isNamed: 'names the brand',
  isBrand: 'the brand itself',
  isOwnDomain: 'own site',
  isSignificant: 'more than chance usually causes',
  isWarmingUp: 'warming up',
  isWebGrounded: 'searches the web',
  leaders: 'leaders',
  leadersByPrompt: 'leaders by prompt',
  lowPct: 'lower end of the interval',
  lowPp: 'lower end of its interval',
  mentions: 'mentions',
  minCycles: 'cycles needed',
  models: 'models',
  modelsChanged: 'models changed',
  name: 'name',
  named: 'prompts that name the brand',
  namesBrand: 'contains the name of the brand',
  negative: 'negative mentions',
  netSentiment: 'net sentiment',
  neutral: 'neutral mentions',
  noAnswerRate: 'no-answer rate',
  noiseFloorPp: 'noise floor',
  overallVisibility: 'overall visibility',
  perEngine: '',
  positive: 'positive mentions',
  position: 'position',
  presenceHighPct: 'upper end of the interval of the presence',
  presenceLowPct: 'lower end of the interval of the presence',
  presencePct: 'presence in answers',
  previousDate: 'cycle before',
  previousPosition: 'position before',
  priorScores: 'earlier scores',
  promptId: 'id',
  promptText: 'text',
  prompts: '',
  promptsAnswered: 'prompts answered',
  promptsNamed: 'prompts that name the brand',
  samePrompts: 'same prompts',
  score: 'score',
  sha256: 'SHA-256',
  shareOfVoice: '',
  signals: '',
  slug: 'engine',
  sourceType: 'kind',
  sources: '',
  sovPct: 'share',
  stability: 'share of cycles',
  tags: 'tags',
  text: 'text',
  tiedForLead: 'tied for the lead',
  tiedWithBrand: 'tied with the brand',
  totalMentions: 'all mentions',
  trend: 'weekly scores',
  unbranded: 'prompts without the name of the brand',
  url: 'link',
  wasNamed: 'named the brand before',
};

/** The texts of prompts, by id. */
export type Names = ReadonlyMap<string, string>;

/** The place of a change in words: `Visibility › ChatGPT › score`. */
export function placeInWords(document: DocumentName, { path, change }: Change, names: Names): string {
  const words = path.flatMap((part, index) => {
    if (!isKeyOfRow(document, path, index)) return fieldWords[part] ?? part;
    if (document === 'brands') return [];
    return part === OWN_ROW ? part : (names.get(part) ?? engineName(part));
  });
  const place = [documentTitles[document], ...words.filter((word) => word !== '')].join(' › ');
  return change === 'changed' ? place : `${place} (${change})`;
}

const LONGEST = 60;

/** A value for people, shortened; a row as the list of its fields. */
export function valueInWords(value: Json, names: Names): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return shorten(names.get(value) ?? value);
  if (Array.isArray(value)) return shorten(value.map((each) => valueInWords(each, names)).join(', '));
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value).filter(
    ([name, field]) => (typeof field !== 'object' || field === null) && !/^(?:id|promptId)$/.test(name),
  );
  return shorten(
    fields
      .map(([name, field]) =>
        name === 'slug' && typeof field === 'string'
          ? engineName(field)
          : `${fieldWords[name] ?? name} ${valueInWords(field, names)}`,
      )
      .join(', '),
  );
}

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const graphemes = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
  return graphemes.length > LONGEST ? `${graphemes.slice(0, LONGEST - 1).join('')}…` : text;
}
