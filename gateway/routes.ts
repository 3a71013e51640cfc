import { isUuid } from '../lib/uuid.ts';
import type { DocumentName } from '../lib/documents/kinds.ts';
import { operationIds, routes } from '../lib/documents/routes.ts';
import { historyRoutes } from '../lib/history/routes.ts';
import type { HistoryRoute } from '../lib/history/routes.ts';
import { BRANDS_PATH, documentPath } from '../snapshots/layout.ts';
import type { DocumentService, FoundCallback } from './documents/documents.ts';
import type { PastQuestion } from './documents/past.ts';

export interface RouteParams {
  brandId?: string;
  snapshotId?: string;
}

export interface GatewayRoute {
  operationId: string;
  /** The path in Fastify's syntax. */
  url: string;
  /** Finds the requested document; null if an id is malformed. */
  find(documents: DocumentService, workspaceId: string, params: RouteParams, callback: FoundCallback): void;
}

/** The current documents first, then the history. */
export const gatewayRoutes: GatewayRoute[] = [
  ...operationIds.map((operationId) => currentRoute(operationId, routes[operationId])),
  ...historyRoutes.map(historyRoute),
];

function currentRoute(
  operationId: string,
  { path, document }: { path: string; document: DocumentName },
): GatewayRoute {
  return {
    operationId,
    url: urlOf(path),
    find(documents, workspaceId, params, callback) {
      const inSnapshot = pathInSnapshot(document, params);
      if (inSnapshot === null) callback(null, null);
      else documents.find(workspaceId, inSnapshot, callback);
    },
  };
}

function historyRoute({ operationId, path, answer }: HistoryRoute): GatewayRoute {
  return {
    operationId,
    url: urlOf(path),
    find(documents, workspaceId, params, callback) {
      const question = questionFor(answer, params);
      if (question === null) callback(null, null);
      else documents.findPast(workspaceId, question, callback);
    },
  };
}

function questionFor(answer: HistoryRoute['answer'], params: RouteParams): PastQuestion | null {
  if (answer === 'snapshots') return { of: 'list' };
  const { snapshotId = '' } = params;
  if (answer === 'proof') return { of: 'snapshot', snapshotId, path: null };
  const path = pathInSnapshot(answer, params);
  return path === null ? null : { of: 'snapshot', snapshotId, path };
}

/**
 * The path of a document in a snapshot; null if the brand's id is not a UUID. Ids are published in lower case and
 * accepted in any case (RFC 9562, section 4).
 */
function pathInSnapshot(document: DocumentName, { brandId }: RouteParams): string | null {
  if (document === 'brands') return BRANDS_PATH;
  return brandId !== undefined && isUuid(brandId) ? documentPath(brandId.toLowerCase(), document) : null;
}

function urlOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
