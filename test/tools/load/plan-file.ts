import { writeFile } from 'node:fs/promises';
import { getOnce } from './connection.ts';
import { planFrom } from './plan.ts';
import type { Plan } from './plan.ts';
import { demandAllowance, findTargets } from './targets.ts';
import type { Ask, LoadOptions } from './types.ts';

/** One line of FILE, as vegeta reads targets in JSON. */
interface VegetaTarget {
  method: 'GET';
  url: string;
  header: Record<string, string[]>;
}

/**
 * Writes the requests of a load for vegeta, and sends none of them. FILE contains keys, so only its owner can read it. An
 * existing file is not replaced.
 */
export async function writePlan(file: string, options: LoadOptions): Promise<void> {
  const found = await findTargets(options);
  demandAllowance(found, options.rate, options.duration / 60);
  const asks = await drawAll(options, planFrom(found.targets, options));
  const targets = asks.map(({ path, headers }): VegetaTarget => {
    const header = Object.entries(headers).map(([name, value]) => [name, [value]]);
    return { method: 'GET', url: `${options.url}${path}`, header: Object.fromEntries(header) };
  });
  const lines = targets.map((target) => `${JSON.stringify(target)}\n`);
  await writeFile(file, lines.join(''), { flag: 'wx', mode: 0o600 });
}

/** Requests each document once when it is drawn first, so that later requests for it can be conditional. */
async function drawAll(options: LoadOptions, plan: Plan): Promise<Ask[]> {
  const seen = new Set<string>();
  const asks: Ask[] = [];
  for (let left = Math.round(options.rate * options.duration); left > 0; left -= 1) {
    const ask = plan.next();
    asks.push(ask);
    const document = `${ask.headers['x-api-key']} ${ask.path}`;
    if (options.conditional === 0 || !ask.expected.includes(200) || seen.has(document)) continue;
    seen.add(document);
    plan.learn(ask, await getOnce(options.url, ask, options.timeLimit));
  }
  return asks;
}
