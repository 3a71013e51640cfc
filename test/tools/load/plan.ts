import { randomBytes, randomUUID } from 'node:crypto';
import { historyOperations, operations } from '../../../lib/documents/routes.ts';
import { apiTables } from '../../../lib/tables/names.ts';
import type { Answer, Ask, LoadOptions, Target } from './types.ts';

export interface Plan {
  next: () => Ask;
  /** Records entity tags, for conditional requests. */
  learn: (ask: Ask, answer: Answer) => void;
}

/** Draws requests from the targets, in the shares of the options. */
export function planFrom(targets: readonly Target[], options: LoadOptions): Plan {
  const usual = targets.filter(({ isLimited }) => !isLimited);
  const limited = targets.filter(({ isLimited }) => isLimited);
  const tags = new Map<string, string>();
  return {
    next: () => draw(options, usual, limited, tags),
    learn: (ask, { status, headers }) => {
      if (status === 200 && headers['etag'] !== undefined) tags.set(tagKey(ask), headers['etag']);
    },
  };
}

const current = operations.filter((operation) => !historyOperations.includes(operation));
const withoutBrand = (operation: { path: string }) => !operation.path.includes('{brandId}');
/** Without a brand, only operations without a brand can be requested. */
const askable = {
  current: { all: current, withoutBrand: current.filter(withoutBrand) },
  history: { all: historyOperations, withoutBrand: historyOperations.filter(withoutBrand) },
};

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
  } = pick(askable[isPast ? 'history' : 'current'][target.brandIds.length > 0 ? 'all' : 'withoutBrand']);
  const about = { operation: operationId, answer, isSample };
  const ofBrand = template.includes('{brandId}');
  const isUnknown = ofBrand && Math.random() < options.unknownBrands;
  const brandId = isUnknown ? randomUUID() : ofBrand ? pick(target.brandIds) : '';
  const snapshotId = isPast ? pick(target.snapshotIds) : '';
  const path = template
    .replace('{brandId}', brandId)
    .replace('{table}', pick(apiTables))
    .replace('{snapshotId}', snapshotId);
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

function tagKey({ headers, path }: Pick<Ask, 'headers' | 'path'>): string {
  return `${headers['x-api-key']} ${path}`;
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}
