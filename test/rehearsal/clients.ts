import { randomUUID } from 'node:crypto';
import { newKey, storedForm } from '../../gateway/records/keys.ts';
import type { Records } from '../../gateway/records/records.ts';
import { routes } from '../../lib/documents/routes.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import type { Ask } from './load.ts';
import type { Published } from './published.ts';

/** The clients of the rehearsal: a key for every workspace; one has a small allowance, one has no plan with the API. */
export interface Clients {
  /** A key of each workspace that is neither limited nor without the API. */
  keys: ReadonlyMap<string, string>;
  /** The next request of any client; `warmOnly`: only for documents that were requested before. */
  next(warmOnly: boolean): Ask;
}

/** Per hundred requests: of the limited workspace, for foreign brands, with unknown keys, without a plan. */
const shares = { limited: 10, foreign: 5, unknown: 5, planless: 5 };

export async function makeClients(
  records: Records,
  published: Published,
  requestsPerMinute: number,
): Promise<Clients> {
  const [limited, planless, ...usual] = [...published.keys()];
  const keyOf = async (id: string, plan: string, allowance: number) => {
    await records.setWorkspace({ id, name: id, plan, requestsPerMinute: allowance });
    return await anotherKey(id);
  };
  const anotherKey = async (id: string) => {
    const key = newKey();
    await records.createKey(id, storedForm(key), null);
    return key;
  };
  // Two keys, because they share the allowance.
  const limitedKeys = [await keyOf(limited!, 'agency', requestsPerMinute), await anotherKey(limited!)];
  const planlessKey = await keyOf(planless!, 'starter', 1_000_000);
  const keys = new Map<string, string>();
  for (const id of usual) keys.set(id, await keyOf(id, 'enterprise', 1_000_000));

  const documentOf = (workspaceId: string) => {
    const path = pick([...published.get(workspaceId)!.documents.keys()]);
    return { path: routeOf(path), document: { workspaceId, path } };
  };
  const next = (warmOnly: boolean): Ask => {
    const id = pick([...keys.keys()]);
    const key = keys.get(id)!;
    let dice = Math.random() * 100;
    const falls = (share: number) => (dice -= share) < 0;
    const refused = (refusedKey: string, status: number): Ask => ({
      ...documentOf(id),
      key: refusedKey,
      document: null,
      expected: [status],
      isLimited: false,
    });
    if (!warmOnly && falls(shares.limited)) {
      return { ...documentOf(limited!), key: pick(limitedKeys), expected: [200, 304, 429], isLimited: true };
    }
    if (falls(shares.unknown)) return refused(newKey(), 401);
    if (falls(shares.planless)) return refused(planlessKey, 402);
    if (falls(shares.foreign)) {
      const foreign = pick([randomUUID(), brandOf(published, planless!)]);
      const path = routes.getVisibility.path.replace('{brandId}', foreign);
      return { path, key, document: null, expected: [404], isLimited: false };
    }
    return { ...documentOf(id), key, expected: [200, 304], isLimited: false };
  };
  return { keys, next };
}

/** The route of a document, by its path in a snapshot. */
export function routeOf(path: string): string {
  return path === BRANDS_PATH ? routes.listBrands.path : `/api/v1/${path.replace('.json', '')}`;
}

function brandOf(published: Published, workspaceId: string): string {
  const paths = [...published.get(workspaceId)!.documents.keys()];
  return paths.find((path) => path.startsWith('brands/'))!.split('/')[1]!;
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}
