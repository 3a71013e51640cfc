import { routes } from '../../../lib/documents/routes.ts';
import { Failure } from '../../../lib/failure.ts';
import { getOnce } from './connection.ts';
import type { Answer, LoadOptions, Target } from './types.ts';

export interface Targets {
  targets: Target[];
  /** The highest rate of the load that the allowance of each key covers, with the key that limits it. */
  allowed: { rate: number; key: string; perMinute: number };
}

/**
 * Requests the brands of each key, and the snapshots if the history is to be read.
 * @throws Failure if the gateway does not respond like one
 */
export async function findTargets(options: LoadOptions): Promise<Targets> {
  const targets: Target[] = [];
  let allowed: Targets['allowed'] = { rate: Infinity, key: '', perMinute: Infinity };
  for (const key of options.key) {
    const answer = await get(options, key, routes.listBrands.path);
    const perMinute = Number(answer.headers['x-ratelimit-limit'] ?? Infinity);
    const rate = perMinute / 60 / shareOfKey(options);
    if (rate < allowed.rate) allowed = { rate, key, perMinute };
    if (answer.status === 429) {
      throw new Failure(
        `the workspace of key ${shown(key)} has used up its ${perMinute} requests of this minute; wait ${answer.headers['retry-after']} s`,
      );
    }
    targets.push(await targetOf(options, key, answer, false));
  }
  for (const key of options.limitedKey ?? [])
    targets.push(await targetOf(options, key, await get(options, key, routes.listBrands.path), true));
  return { targets, allowed };
}

/**
 * @param minutes for how long the rate lasts; a shorter load needs less of the allowance
 * @throws Failure if an allowance is too small for the rate, so that the load would only measure refusals
 */
export function demandAllowance({ allowed }: Targets, rate: number, minutes: number): void {
  const { perMinute, key } = allowed;
  const needed = Math.ceil(((rate * Math.min(1, minutes)) / allowed.rate) * perMinute);
  if (!(needed > perMinute)) return;
  throw new Failure(
    `the workspace of key ${shown(key)} allows ${perMinute} a minute, and this load needs ${needed}: give it more (records -- workspace set ID --requests-per-minute ${needed}), more keys of other workspaces, or a lower --rate`,
  );
}

/** The share of the requests that count against the allowance of each key. */
function shareOfKey({ key, limited, limitedKey = [], wrongKeys }: LoadOptions): number {
  return ((limitedKey.length > 0 ? 1 - limited : 1) * (1 - wrongKeys)) / key.length;
}

/** @param brands the response with the brands of the key */
async function targetOf(
  options: LoadOptions,
  key: string,
  brands: Answer,
  isLimited: boolean,
): Promise<Target> {
  const brandIds = itemsOf<{ id: string }>(brands, `the brands of key ${shown(key)}`).map(({ id }) => id);
  if (options.history === 0) return { key, brandIds, snapshotIds: [], isLimited };
  const answer = await get(options, key, '/api/v1/snapshots');
  const snapshots = itemsOf<{ id: string; isPruned: boolean }>(answer, `the snapshots of key ${shown(key)}`);
  const snapshotIds = snapshots.filter(({ isPruned }) => !isPruned).map(({ id }) => id);
  return { key, brandIds, snapshotIds, isLimited };
}

async function get({ url, timeLimit }: LoadOptions, key: string, path: string): Promise<Answer> {
  return await getOnce(url, { path, headers: { 'x-api-key': key } }, timeLimit);
}

/** None if the allowance is used up. */
function itemsOf<Item>({ status, body }: Answer, what: string): Item[] {
  if (status === 429) return [];
  if (status !== 200) throw new Failure(`${what}: expected 200, got ${status}`);
  return (JSON.parse(body!) as { data: Item[] }).data;
}

function shown(key: string): string {
  return `${key.slice(0, 12)}…`;
}
