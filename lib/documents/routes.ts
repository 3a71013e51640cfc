import { SOURCES_SIZE, TIMELINE_SIZE, TREND_SIZE, WINDOW_DAYS } from '../methodology/constants.ts';
import type { DocumentName } from './kinds.ts';

/**
 * The address of a gateway with the default settings: the server in docs/openapi.json, which programs that import it call.
 * Without a trailing slash.
 */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:8080';

/** An operation of the API; all are GET, without query or body. */
export interface Operation {
  operationId: string;
  /** The path below the server's address, with the placeholders `{snapshotId}`, `{brandId}` and `{table}`. */
  path: string;
  /** The response: a document, current or as it was published; the list of snapshots; a proof. */
  answer: DocumentName | 'snapshots' | 'proof';
  summary: string;
  description: string;
}

/** The operations on current documents, by their id. */
export const routes = {
  listBrands: {
    path: '/api/v1/brands',
    answer: 'brands',
    summary: 'Brands',
    description:
      "All brands of the key's workspace, oldest first, in one response. Every other operation takes one of their ids.",
  },
  getWeek: {
    path: '/api/v1/week',
    answer: 'week',
    summary: 'Week',
    description: `The week of all brands in one response: scores and whether they moved, engines that fell silent, the brand's place in share of voice, how many prompts were won and lost, and citations of its own site. Start here, and ask for the other documents of a brand where something happened. Read silent first, then moved; what was won and lost in a normal week is mostly chance.`,
  },
  getTable: {
    path: '/api/v1/tables/{table}',
    answer: 'table',
    summary: 'Table',
    description:
      'One table over all brands, for a spreadsheet or a database: columns with their types, and rows of single values, taken over from the other documents. The page on exports describes every column.',
  },
  getVisibility: {
    path: '/api/v1/brands/{brandId}/visibility',
    answer: 'visibility',
    summary: 'Visibility',
    description: `The latest score of each engine with its drift band, the ${TREND_SIZE} most recent scores, and sentiment and position over ${WINDOW_DAYS} days. Scores change once a week. Read silent first: those engines gave no answer lately, so nothing can be said about their week. Then moved: the engines that moved when all are judged together. An alert that is not in moved is possibly chance. Never build alerts on differences between scores.`,
  },
  getStability: {
    path: '/api/v1/brands/{brandId}/stability',
    answer: 'stability',
    summary: 'Stability',
    description:
      'For each active prompt and engine, the names that appear in most weeks (core) and the names that come and go (carousel).',
  },
  getCompetitors: {
    path: '/api/v1/brands/{brandId}/competitors',
    answer: 'competitors',
    summary: 'Competitors',
    description: `Mentions of the brand and of each tracked competitor over ${WINDOW_DAYS} days, with confidence intervals and statistical ties, and the counts on each engine.`,
  },
  getSources: {
    path: '/api/v1/brands/{brandId}/sources',
    answer: 'sources',
    summary: 'Sources',
    description: `The ${SOURCES_SIZE} cited domains with the largest gap between mentions of competitors and of the brand, over ${WINDOW_DAYS} days, and how often the brand's own site is cited. A site that is missing in the list may well be cited: the list is cut by gap, and a site that is cited where only its brand is named has a negative one. Read ownSite for the brand's own.`,
  },
  getResults: {
    path: '/api/v1/brands/{brandId}/results',
    answer: 'results',
    summary: 'Results',
    description:
      'For each active prompt and engine: whether the answers named the brand, and at which position, in the latest cycle and in the one before. change is won, lost, kept, absent or new. One prompt on one engine is one random draw, so a single change is not evidence of a trend. Build alerts on isSignificant of the visibility response.',
  },
  getTimeline: {
    path: '/api/v1/brands/{brandId}/timeline',
    answer: 'timeline',
    summary: 'Timeline',
    description: `Who was named, week by week on each engine: for the brand and each tracked competitor, the number of prompts in whose answers it was named, over up to ${TIMELINE_SIZE} weeks. Counts of prompts: more runs of each prompt raise them, as they raise the score.`,
  },
  listPrompts: {
    path: '/api/v1/brands/{brandId}/prompts',
    answer: 'prompts',
    summary: 'Prompts',
    description: 'Every tracked question of the brand, active and paused, oldest first.',
  },
} as const satisfies Record<string, Omit<Operation, 'operationId'>>;

export type OperationId = keyof typeof routes;
export const operationIds = Object.keys(routes) as OperationId[];

const currentOperations: readonly Operation[] = operationIds.map((operationId) => {
  return { operationId, ...routes[operationId] };
});

const SNAPSHOTS = '/api/v1/snapshots';

/** The operations on the history of a workspace: two on snapshots, then one for each document. */
export const historyOperations: readonly Operation[] = [
  {
    operationId: 'listSnapshots',
    path: SNAPSHOTS,
    answer: 'snapshots',
    summary: 'Snapshots',
    description:
      'Every published snapshot of the workspace, newest first, in one response. One is published each week; its documents never change.',
  },
  {
    operationId: 'getSnapshotProof',
    path: `${SNAPSHOTS}/{snapshotId}/proof`,
    answer: 'proof',
    summary: 'Proof of a snapshot',
    description:
      'Everything needed to verify the documents of a snapshot without access to the store: the manifest with the hash of every document, the entry of the transparency log that published it, and the proof that the log contains the entry.',
  },
  ...currentOperations.map(ofThePast),
];

/** All operations: those on current documents first. */
export const operations: readonly Operation[] = [...currentOperations, ...historyOperations];

/** The operation that returns a document as it was published in a snapshot. */
function ofThePast({ path, answer, summary }: Operation): Operation {
  const verb = answer === 'brands' ? 'list' : 'get';
  return {
    operationId: `${verb}${answer[0]!.toUpperCase()}${answer.slice(1)}OfSnapshot`,
    path: path.replace('/api/v1', `${SNAPSHOTS}/{snapshotId}`),
    answer,
    summary: `${summary} of a snapshot`,
    description: `The exact bytes that were served as “${summary}” while the snapshot was the current one. They never change.`,
  };
}
