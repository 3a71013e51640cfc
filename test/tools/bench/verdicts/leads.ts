import { behindLeader } from '../../../../lib/methodology/behind-leader.ts';
import { wilson, z } from '../../../../lib/methodology/exact.ts';
import { binomial, drawChance } from './random.ts';
import type { Random } from '../../../support/random.ts';
import type { Chances } from './random.ts';

export interface ListSetting {
  prompts: number;
  names: number;
  chances: Chances;
  /** The mean of all names but the first, in relation to it: 1 for equal names. */
  others: number;
}

/** Eight engines in the two weeks of the window. */
const ANSWERS = 16;

/** Mentions by prompt, for each name. */
type Mentions = readonly (readonly number[])[];

/** What each rule says of one list of names. Null if too few prompts have mentions for a verdict by prompt. */
export function judgeList(random: Random, setting: ListSetting) {
  const mentions = drawMentions(random, setting);
  const order = [...mentions.keys()].toSorted((a, b) => sum(mentions[b]!) - sum(mentions[a]!));
  const pair = order.filter((name) => name < 2);
  const byPrompt = behindIn([...pair, ...order.filter((name) => name >= 2)].map((name) => mentions[name]!));
  const behind = behindIn(order.map((name) => mentions[name]!));
  if (byPrompt === null || behind === null) return null;
  const total = sum(mentions.map(sum));
  const [larger, smaller] = pair.map((name) => sum(mentions[name]!)) as [number, number];
  const apart = order
    .slice(1)
    .filter((name) => !overlap(sum(mentions[order[0]!]!), sum(mentions[name]!), total));
  return {
    /** The first two names, which were chosen before anything was measured. */
    pair: {
      byPrompt: byPrompt[1] === true,
      wilson: !overlap(larger, smaller, total),
      independent: isFarApart(larger, smaller, total),
    },
    /** The rows below the first one that are behind it. */
    rows: { byPrompt: behind.filter(Boolean).length, wilson: apart.length },
  };
}

function drawMentions(random: Random, { prompts, names, chances, others }: ListSetting): Mentions {
  return Array.from({ length: names }, (_, name) => {
    const own = { ...chances, mean: chances.mean * (name === 0 ? 1 : others) };
    return Array.from({ length: prompts }, () => binomial(random, ANSWERS, drawChance(random, own)));
  });
}

/** For each row, whether it is behind the first one. */
function behindIn(rows: Mentions): boolean[] | null {
  const all = rows[0]!.map((_, prompt) => sum(rows.map((row) => row[prompt]!)));
  const prompts = all.filter((mentions) => mentions > 0).length;
  const counts = rows.map((row) => ({
    mentions: sum(row),
    prompts,
    withItself: product(row, row),
    withLeader: product(row, rows[0]!),
    withAll: product(row, all),
  }));
  return behindLeader(counts)?.map((gap) => gap?.isBehind === true) ?? null;
}

/** The sum over the prompts of one's mentions times the other's. */
function product(a: readonly number[], b: readonly number[]): bigint {
  return BigInt(sum(a.map((own, at) => own * b[at]!)));
}

function overlap(larger: number, smaller: number, total: number): boolean {
  return wilson(larger, total).low <= wilson(smaller, total).high;
}

/** The usual test of two shares of one total, which takes mentions for independent draws. */
function isFarApart(larger: number, smaller: number, total: number): boolean {
  const [p, q] = [larger / total, smaller / total];
  return p - q > z * Math.sqrt((p + q - (p - q) ** 2) / total);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
