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
  const limited = targets.filter(({ isLimited }) => isLimited);
  const usual = targets.filter(({ isLimited }) => !isLimited);
  /** By key and path. */
  const tags = new Map<string, string>();
  return {
    next: () => draw(pick(limited.length > 0 && happens(options.limited) ? limited : usual), options, tags),
    learn: ({ path, headers }, answer) => {
      const tag = answer.headers['etag'];
      if (answer.status === 200 && tag !== undefined) tags.set(`${headers['x-api-key']} ${path}`, tag);
    },
  };
}

const currentOperations = operations.filter((operation) => !historyOperations.includes(operation));
const withoutBrand = ({ path }: { path: string }) => !path.includes('{brandId}');
/** Without a brand, only operations without a brand can be requested. */
const askable = {
  current: { all: currentOperations, withoutBrand: currentOperations.filter(withoutBrand) },
  history: { all: historyOperations, withoutBrand: historyOperations.filter(withoutBrand) },
};

function draw(target: Target, options: LoadOptions, tags: ReadonlyMap<string, string>): Ask {
  const isPast = target.snapshotIds.length > 0 && happens(options.history);
  const choice = askable[isPast ? 'history' : 'current'];
  const operation = pick(target.brandIds.length > 0 ? choice.all : choice.withoutBrand);
  const ofBrand = !withoutBrand(operation);
  const isUnknown = ofBrand && happens(options.unknownBrands);
  const path = operation.path
    .replace('{brandId}', () => (isUnknown ? randomUUID() : pick(target.brandIds)))
    .replace('{table}', () => pick(apiTables))
    .replace('{snapshotId}', () => pick(target.snapshotIds));
  const isSample = happens(options.sample);
  const about = { operation: operation.operationId, answer: operation.answer, path, isSample };
  if (happens(options.wrongKeys)) {
    const headers = { 'x-api-key': `vis_${randomBytes(24).toString('hex')}` };
    return { ...about, headers, expected: [401] };
  }
  const headers: Record<string, string> = { 'x-api-key': target.key, 'accept-encoding': 'identity' };
  const tag = tags.get(`${target.key} ${path}`);
  const isConditional = tag !== undefined && happens(options.conditional);
  if (isConditional) headers['if-none-match'] = tag;
  // A snapshot that is published meanwhile changes a 304 into a 200, and a current brand may not have existed earlier.
  const usual = isConditional ? [304, 200] : isPast && ofBrand ? [200, 404] : [200];
  const right = isUnknown ? [404] : usual;
  return { ...about, headers, expected: target.isLimited ? [...right, 429] : right };
}

function happens(share: number): boolean {
  return Math.random() < share;
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}
