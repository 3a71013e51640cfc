import { routes } from '../../../lib/documents/routes.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Answer, Ask, LoadOptions, Target } from './types.ts';

type Get = (ask: Pick<Ask, 'path' | 'headers'>) => Promise<Answer>;

export interface Targets {
  targets: Target[];
  /** The highest rate of the load that the allowance of each key covers, with the key that limits it. */
  allowed: { rate: number; key: string; perMinute: number };
}

/**
 * Requests the brands of each key, and the snapshots if the history is to be read.
 * @throws Failure if the gateway does not respond like one
 */
export async function findTargets(options: LoadOptions, get: Get): Promise<Targets> {
  const targets: Target[] = [];
  let allowed: Targets['allowed'] = { rate: Infinity, key: '', perMinute: Infinity };
  for (const key of options.key) {
    const answer = await get({ path: routes.listBrands.path, headers: { 'x-api-key': key } });
    const perMinute = Number(answer.headers['x-ratelimit-limit'] ?? Infinity);
    const rate = perMinute / 60 / shareOfKey(options);
    if (rate < allowed.rate) allowed = { rate, key, perMinute };
    if (answer.status === 429) {
      throw new Failure(
        `the workspace of key ${shown(key)} has used up its ${perMinute} requests of this minute; wait ${answer.headers['retry-after']} s`,
      );
    }
    targets.push(await targetOf(key, false, answer, options, get));
  }
  for (const key of options.limitedKey ?? []) {
    const answer = await get({ path: routes.listBrands.path, headers: { 'x-api-key': key } });
    targets.push(await targetOf(key, true, answer, options, get));
  }
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

async function targetOf(
  key: string,
  isLimited: boolean,
  answer: Answer,
  { history }: LoadOptions,
  get: Get,
): Promise<Target> {
  if (!isLimited || answer.status !== 429) demandSuccess(answer, `the brands of key ${shown(key)}`);
  const { data } = JSON.parse(answer.body!) as { data?: { id: string }[] };
  const snapshotIds = history > 0 ? await snapshotsOf(key, get) : [];
  return { key, brandIds: (data ?? []).map(({ id }) => id), snapshotIds, isLimited };
}

async function snapshotsOf(key: string, get: Get): Promise<string[]> {
  const answer = await get({ path: '/api/v1/snapshots', headers: { 'x-api-key': key } });
  if (answer.status === 429) return [];
  demandSuccess(answer, `the snapshots of key ${shown(key)}`);
  const { data } = JSON.parse(answer.body!) as { data: { id: string; isPruned: boolean }[] };
  return data.filter(({ isPruned }) => !isPruned).map(({ id }) => id);
}

function demandSuccess({ status }: Answer, what: string): void {
  if (status !== 200) throw new Failure(`${what}: expected 200, got ${status}`);
}

function shown(key: string): string {
  return `${key.slice(0, 12)}…`;
}
