import { isUuid } from '../lib/uuid.ts';
import { operations } from '../lib/documents/routes.ts';
import type { Operation } from '../lib/documents/routes.ts';
import type { Question } from './documents/find.ts';

export interface RouteParams {
  brandId?: string;
  snapshotId?: string;
}

export interface GatewayRoute {
  operationId: string;
  /** The path in Fastify's syntax. */
  url: string;
  /** What is requested; null if the brand's id is malformed. */
  question(params: RouteParams): Question | null;
}

export const gatewayRoutes: readonly GatewayRoute[] = operations.map(({ operationId, path, answer }) => ({
  operationId,
  url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
  question: (params) => questionFor(answer, params),
}));

/** Ids are published in lower case; that of a brand is accepted in any case (RFC 9562, section 4). */
function questionFor(answer: Operation['answer'], { brandId, snapshotId }: RouteParams): Question | null {
  if (answer === 'snapshots') return { of: 'list' };
  if (answer === 'proof') return { of: 'proof', snapshotId: snapshotId! };
  if (answer === 'brands') return { of: 'document', document: { brandId: null, name: answer }, snapshotId };
  if (!isUuid(brandId!)) return null;
  return { of: 'document', document: { brandId: brandId!.toLowerCase(), name: answer }, snapshotId };
}
