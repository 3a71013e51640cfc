import { isUuid } from '../lib/uuid.ts';
import { operationIds, routes } from '../lib/documents/routes.ts';
import type { OperationId } from '../lib/documents/routes.ts';
import { BRANDS_PATH, documentPath } from '../snapshots/layout.ts';

export interface GatewayRoute {
  operationId: OperationId;
  /** In Fastify's syntax. */
  url: string;
  /**
   * Where a snapshot keeps what is asked for; null where the brand's id is not a UUID.
   * Ids are published in lower case and found in any (RFC 9562, 4).
   */
  pathInSnapshot(brandId: string | undefined): string | null;
}

export const gatewayRoutes: GatewayRoute[] = operationIds.map((operationId) => {
  const { path, document } = routes[operationId];
  return {
    operationId,
    url: path.replace('{brandId}', ':brandId'),
    pathInSnapshot: (brandId) => {
      if (document === 'brands') return BRANDS_PATH;
      return brandId !== undefined && isUuid(brandId) ? documentPath(brandId.toLowerCase(), document) : null;
    },
  };
});
