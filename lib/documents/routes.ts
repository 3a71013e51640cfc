import { SOURCES_SIZE, TREND_SIZE, WINDOW_DAYS } from '../methodology/constants.ts';
import type { DocumentName } from './kinds.ts';

/** The operations of the API on current documents. */
export const operationIds = [
  'listBrands',
  'getVisibility',
  'getStability',
  'getCompetitors',
  'getSources',
  'getResults',
  'listPrompts',
] as const;
export type OperationId = (typeof operationIds)[number];

export type Status = 200 | 304 | 401 | 402 | 404 | 429 | 500;

export interface Route {
  /** The path below the server's address; `{brandId}` stands for the brand's id. */
  path: string;
  /** The document that answers it. */
  document: DocumentName;
  summary: string;
  description: string;
  /** Every status that an admitted or refused caller can get. */
  statuses: readonly Status[];
}

/** Of a path without an id: it cannot be of something that the workspace lacks. */
export const statusesWithoutId: readonly Status[] = [200, 304, 401, 402, 429, 500];
export const statusesWithId: readonly Status[] = [200, 304, 401, 402, 404, 429, 500];

/** Every route of the API, each answered by one document; all are GET, without query or body. */
export const routes: Record<OperationId, Route> = {
  listBrands: {
    path: '/api/v1/brands',
    document: 'brands',
    summary: 'Brands',
    description:
      "All brands of the key's workspace, oldest first, in one response. Every other operation takes one of their ids.",
    statuses: statusesWithoutId,
  },
  getVisibility: {
    path: '/api/v1/brands/{brandId}/visibility',
    document: 'visibility',
    summary: 'Visibility',
    description: `The latest score of each engine with its drift band, the ${TREND_SIZE} most recent scores, and sentiment and position over ${WINDOW_DAYS} days. Scores change once a week. Build alerts on isSignificant, not on differences between scores.`,
    statuses: statusesWithId,
  },
  getStability: {
    path: '/api/v1/brands/{brandId}/stability',
    document: 'stability',
    summary: 'Stability',
    description:
      'For each active prompt and engine, the names that appear in most weeks (core) and the names that come and go (carousel).',
    statuses: statusesWithId,
  },
  getCompetitors: {
    path: '/api/v1/brands/{brandId}/competitors',
    document: 'competitors',
    summary: 'Competitors',
    description: `Mentions of the brand and of each tracked competitor over ${WINDOW_DAYS} days, with confidence intervals and statistical ties.`,
    statuses: statusesWithId,
  },
  getSources: {
    path: '/api/v1/brands/{brandId}/sources',
    document: 'sources',
    summary: 'Sources',
    description: `The ${SOURCES_SIZE} cited domains with the largest gap between mentions of competitors and of the brand, over ${WINDOW_DAYS} days.`,
    statuses: statusesWithId,
  },
  getResults: {
    path: '/api/v1/brands/{brandId}/results',
    document: 'results',
    summary: 'Results',
    description:
      'For each active prompt and engine: whether the answers named the brand, and at which position, in the latest cycle and in the one before. change is won, lost, kept, absent or new. One prompt on one engine is one random draw, so a single change is not evidence of a trend. Build alerts on isSignificant of the visibility response.',
    statuses: statusesWithId,
  },
  listPrompts: {
    path: '/api/v1/brands/{brandId}/prompts',
    document: 'prompts',
    summary: 'Prompts',
    description: 'Every tracked question of the brand, active and paused, oldest first.',
    statuses: statusesWithId,
  },
};
