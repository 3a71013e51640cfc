import { randomBytes, randomUUID } from 'node:crypto';
import { Failure } from '../../../lib/failure.ts';
import { historyOperations, operations, routes } from '../../../lib/documents/routes.ts';
import type { Answer, Ask, LoadOptions } from './types.ts';

export interface Plan {
  next: () => Ask;
  /** Records entity tags, for conditional requests. */
  learn: (ask: Ask, answer: Answer) => void;
}

interface Target {
  key: string;
  brandIds: string[];
  /** The ids of snapshots that are not pruned. */
  snapshotIds: string[];
  isLimited: boolean;
}

/** Requests the brands of each key first; the plan is drawn from these. */
export async function planner(
  options: LoadOptions,
  get: (ask: Pick<Ask, 'path' | 'headers'>) => Promise<Answer>,
): Promise<Plan> {
  const targetOf = async (key: string, isLimited: boolean): Promise<Target> => {
    const answer = await get({ path: routes.listBrands.path, headers: { 'x-api-key': key } });
    if (!isLimited || answer.status !== 429)
      demandStatus(answer, 200, `the brands of key ${key.slice(0, 12)}…`);
    const { data } = JSON.parse(answer.body!) as { data?: { id: string }[] };
    const snapshotIds = options.history > 0 ? await snapshotsOf(key, get) : [];
    return { key, brandIds: (data ?? []).map(({ id }) => id), snapshotIds, isLimited };
  };
  const usual = await Promise.all(options.key.map((key) => targetOf(key, false)));
  const limited = await Promise.all((options.limitedKey ?? []).map((key) => targetOf(key, true)));
  const tags = new Map<string, string>();
  return {
    next: () => draw(options, usual, limited, tags),
    learn: (ask, { status, headers }) => {
      if (status === 200 && headers.etag !== undefined) tags.set(tagKey(ask), headers.etag);
    },
  };
}

const current = operations.filter((operation) => !historyOperations.includes(operation));

/** Without a brand, only operations without a brand can be requested. */
function askable({ brandIds }: Target): (operation: { path: string }) => boolean {
  return ({ path }) => brandIds.length > 0 || !path.includes('{brandId}');
}

async function snapshotsOf(
  key: string,
  get: (ask: Pick<Ask, 'path' | 'headers'>) => Promise<Answer>,
): Promise<string[]> {
  const answer = await get({ path: '/api/v1/snapshots', headers: { 'x-api-key': key } });
  if (answer.status === 429) return [];
  demandStatus(answer, 200, `the snapshots of key ${key.slice(0, 12)}…`);
  const { data } = JSON.parse(answer.body!) as { data: { id: string; isPruned: boolean }[] };
  return data.filter(({ isPruned }) => !isPruned).map(({ id }) => id);
}

function draw(
  options: LoadOptions,
  usual: readonly Target[],
  limited: readonly Target[],
  tags: ReadonlyMap<string, string>,
): Ask {
  const target = limited.length > 0 && Math.random() < options.limited ? pick(limited) : pick(usual);
  const isSample = Math.random() < options.sample;
  const isPast = target.snapshotIds.length > 0 && Math.random() < options.history;
  const {
    operationId,
    path: template,
    answer,
  } = pick((isPast ? historyOperations : current).filter(askable(target)));
  const about = { operation: operationId, answer, isSample };
  const ofBrand = template.includes('{brandId}');
  const isUnknown = ofBrand && Math.random() < options.unknownBrands;
  const brandId = isUnknown ? randomUUID() : ofBrand ? pick(target.brandIds) : '';
  const snapshotId = isPast ? pick(target.snapshotIds) : '';
  const path = template.replace('{brandId}', brandId).replace('{snapshotId}', snapshotId);
  if (Math.random() < options.wrongKeys) {
    const headers = { 'x-api-key': `vis_${randomBytes(24).toString('hex')}` };
    return { ...about, path, headers, expected: [401] };
  }
  const headers: Record<string, string> = { 'x-api-key': target.key, 'accept-encoding': 'identity' };
  const tag = tags.get(`${target.key} ${path}`);
  const isConditional = tag !== undefined && !isUnknown && Math.random() < options.conditional;
  if (isConditional) headers['if-none-match'] = tag;
  // A snapshot that is published meanwhile changes a 304 into a 200.
  // A current brand may not have existed then.
  const maybe = isPast && ofBrand ? [404] : [];
  const right = isUnknown ? [404] : isConditional ? [304, 200] : [200, ...maybe];
  return { ...about, path, headers, expected: target.isLimited ? [...right, 429] : right };
}

function tagKey({ headers, path }: Ask): string {
  return `${headers['x-api-key']} ${path}`;
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}

/** @throws Failure if it does not respond like a gateway */
function demandStatus(answer: Answer, status: number, what: string): void {
  if (answer.status !== status) throw new Failure(`${what}: expected ${status}, got ${answer.status}`);
}
