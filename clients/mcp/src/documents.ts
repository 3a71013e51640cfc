import type { Answer } from './result.ts';

export type DocumentName =
  | 'visibility'
  | 'results'
  | 'stability'
  | 'competitors'
  | 'sources'
  | 'timeline'
  | 'prompts';

/** Filters of a document. */
export interface Less {
  engines?: readonly string[] | undefined;
  promptIds?: readonly string[] | undefined;
  change?: string | undefined;
  trend?: boolean | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

export interface BrandDocument {
  /** The methods of the client: for the current document, and for that of a snapshot. */
  current:
    | 'getVisibility'
    | 'getResults'
    | 'getStability'
    | 'getCompetitors'
    | 'getSources'
    | 'getTimeline'
    | 'listPrompts';
  past: `get${'Visibility' | 'Results' | 'Stability' | 'Competitors' | 'Sources' | 'Timeline' | 'Prompts'}OfSnapshot`;
  /** The field with the rows, which are shown page by page. */
  list?: string;
  narrowedBy: readonly ('engines' | 'promptIds' | 'change' | 'trend')[];
  /** Fields with texts that others wrote, apart from the brand's. */
  untrusted: readonly string[];
}

export const documents: Record<DocumentName, BrandDocument> = {
  visibility: {
    current: 'getVisibility',
    past: 'getVisibilityOfSnapshot',
    narrowedBy: ['engines', 'trend'],
    untrusted: ['.perEngine[].models[]', '.events[].text', '.events[].url'],
  },
  results: {
    current: 'getResults',
    past: 'getResultsOfSnapshot',
    list: 'prompts',
    narrowedBy: ['engines', 'promptIds', 'change'],
    untrusted: ['.prompts[].promptText', '.prompts[].engines[].evidence[].url'],
  },
  stability: {
    current: 'getStability',
    past: 'getStabilityOfSnapshot',
    list: 'prompts',
    narrowedBy: ['engines', 'promptIds'],
    untrusted: [
      '.prompts[].promptText',
      '.prompts[].engines[].core[].entity',
      '.prompts[].engines[].carousel[].entity',
    ],
  },
  competitors: {
    current: 'getCompetitors',
    past: 'getCompetitorsOfSnapshot',
    list: 'shareOfVoice',
    narrowedBy: [],
    untrusted: ['.shareOfVoice[].name', '.leaders[]', '.leadersByPrompt[]'],
  },
  sources: {
    current: 'getSources',
    past: 'getSourcesOfSnapshot',
    list: 'sources',
    narrowedBy: [],
    untrusted: ['.sources[].domain'],
  },
  timeline: {
    current: 'getTimeline',
    past: 'getTimelineOfSnapshot',
    list: 'names',
    narrowedBy: ['engines'],
    untrusted: ['.names[].name'],
  },
  prompts: {
    current: 'listPrompts',
    past: 'getPromptsOfSnapshot',
    list: 'prompts',
    narrowedBy: ['promptIds'],
    untrusted: ['.prompts[].text', '.prompts[].tags[]'],
  },
};

export const documentNames = Object.keys(documents) as [DocumentName, ...DocumentName[]];

type Row = Record<string, unknown>;
const isOneOf = (wanted: readonly string[] | undefined, value: unknown) =>
  wanted === undefined || wanted.includes(value as string);

/** The document with only the requested engines, prompts and changes; the trend only if it is requested. */
export function narrow(
  data: unknown,
  { engines, promptIds, change, trend: isTrendWanted = false }: Less,
): unknown {
  const enginesOf = (rows: unknown) =>
    (rows as Row[]).filter(
      (row) => isOneOf(engines, row['slug']) && (change === undefined || row['change'] === change),
    );
  const { trend: _, ...rest } = data as Row;
  const document = isTrendWanted ? (data as Row) : rest;
  const { perEngine, trend, moved, silent, alerts, events, prompts, engines: cycles, names } = document;
  return {
    ...document,
    ...(perEngine !== undefined && { perEngine: enginesOf(perEngine) }),
    ...(moved !== undefined && { moved: (moved as string[]).filter((slug) => isOneOf(engines, slug)) }),
    ...(silent !== undefined && { silent: enginesOf(silent) }),
    ...(alerts !== undefined && { alerts: enginesOf(alerts) }),
    ...(cycles !== undefined && { engines: enginesOf(cycles) }),
    ...(names !== undefined && { names: (names as Row[]).map((name) => withEngines(name, enginesOf)) }),
    ...(events !== undefined && {
      events: (events as Row[]).filter(({ slug }) => slug === null || isOneOf(engines, slug)),
    }),
    ...(trend !== undefined && {
      trend: Object.fromEntries(Object.entries(trend as Row).filter(([slug]) => isOneOf(engines, slug))),
    }),
    ...(prompts !== undefined && {
      prompts: (prompts as Row[])
        .filter(({ id, promptId }) => isOneOf(promptIds, promptId ?? id))
        .map((prompt) => (prompt['engines'] === undefined ? prompt : withEngines(prompt, enginesOf)))
        .filter((prompt) => prompt['engines'] === undefined || (prompt['engines'] as Row[]).length > 0),
    }),
  };
}

function withEngines(row: Row, enginesOf: (rows: unknown) => Row[]): Row {
  return { ...row, engines: enginesOf(row['engines']) };
}

/** The fields of a result about a document, apart from its data and its snapshot. */
export function aboutDocument(
  { list, narrowedBy, untrusted }: BrandDocument,
  { offset, limit }: Less,
): Omit<Answer, 'data' | 'snapshotId' | 'asOf'> {
  const ways = [...narrowedBy.filter((way) => way !== 'trend'), ...(list === undefined ? [] : ['limit'])];
  return {
    untrusted: ['.brand.name', '.brand.domain', ...untrusted],
    list,
    offset,
    limit,
    less: `For less, give ${ways.join(', ')}.`,
  };
}
