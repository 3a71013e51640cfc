import { operationIds, routes } from '../documents/routes.ts';
import type { OperationId, Status } from '../documents/routes.ts';
import { historyRoutes } from '../history/routes.ts';
import type { HistoryAnswer } from '../history/routes.ts';

/** An operation of the API, as OpenAPI describes it. */
export interface Operation {
  operationId: string;
  path: string;
  tag: keyof typeof tags;
  answer: HistoryAnswer;
  summary: string;
  description: string;
  statuses: readonly Status[];
}

export const tags = {
  Brands: 'Brands and prompts that the workspace tracks.',
  Measurements: 'How the answer engines treat a brand, as of the latest weekly cycle.',
  History: 'Every published snapshot, its documents as they were, and the proof that they are.',
} as const;

const lists: ReadonlySet<OperationId> = new Set(['listBrands', 'listPrompts']);

/** The operations on current documents, then those on the history. */
export const operations: readonly Operation[] = [
  ...operationIds.map((operationId): Operation => {
    const { document, ...route } = routes[operationId];
    const tag = lists.has(operationId) ? 'Brands' : 'Measurements';
    return { ...route, operationId, answer: document, tag };
  }),
  ...historyRoutes.map((route): Operation => ({ ...route, tag: 'History' })),
];
