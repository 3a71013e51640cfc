import { randomBytes, randomUUID } from 'node:crypto';
import { Failure } from '../../../lib/failure.ts';
import { operationIds, routes } from '../../../lib/documents/routes.ts';
import type { Answer, Ask, LoadOptions } from './types.ts';

export interface Plan {
  next: () => Ask;
  /** Remembers entity tags, for the conditional requests. */
  learn: (ask: Ask, answer: Answer) => void;
}

interface Target {
  key: string;
  brandIds: string[];
  isLimited: boolean;
}

/** Asks each key for its brands first; the plan is drawn from what they have. */
export async function planner(
  options: LoadOptions,
  get: (ask: Pick<Ask, 'path' | 'headers'>) => Promise<Answer>,
): Promise<Plan> {
  const targetOf = async (key: string, isLimited: boolean): Promise<Target> => {
    const answer = await get({ path: routes.listBrands.path, headers: { 'x-api-key': key } });
    if (!isLimited || answer.status !== 429)
      demandStatus(answer, 200, `the brands of key ${key.slice(0, 12)}…`);
    const { data } = JSON.parse(answer.body!) as { data?: { id: string }[] };
    return { key, brandIds: (data ?? []).map(({ id }) => id), isLimited };
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

function draw(
  options: LoadOptions,
  usual: readonly Target[],
  limited: readonly Target[],
  tags: ReadonlyMap<string, string>,
): Ask {
  const target = limited.length > 0 && Math.random() < options.limited ? pick(limited) : pick(usual);
  const isSample = Math.random() < options.sample;
  const operation = target.brandIds.length === 0 ? 'listBrands' : pick(operationIds);
  const ofBrand = operation !== 'listBrands';
  const isUnknown = ofBrand && Math.random() < options.unknownBrands;
  const brandId = isUnknown ? randomUUID() : ofBrand ? pick(target.brandIds) : '';
  const path = routes[operation].path.replace('{brandId}', brandId);
  if (Math.random() < options.wrongKeys) {
    const headers = { 'x-api-key': `vis_${randomBytes(24).toString('hex')}` };
    return { operation, path, headers, expected: [401], isSample };
  }
  const headers: Record<string, string> = { 'x-api-key': target.key, 'accept-encoding': 'identity' };
  const tag = tags.get(`${target.key} ${path}`);
  const isConditional = tag !== undefined && !isUnknown && Math.random() < options.conditional;
  if (isConditional) headers['if-none-match'] = tag;
  // A snapshot that is published meanwhile turns a 304 into a 200.
  const right = isUnknown ? [404] : isConditional ? [304, 200] : [200];
  return { operation, path, headers, expected: target.isLimited ? [...right, 429] : right, isSample };
}

function tagKey({ headers, path }: Ask): string {
  return `${headers['x-api-key']} ${path}`;
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}

/** @throws Failure where the gateway does not answer as one does, so that no load makes sense. */
function demandStatus(answer: Answer, status: number, what: string): void {
  if (answer.status !== status) throw new Failure(`${what}: expected ${status}, got ${answer.status}`);
}
