import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
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
 * Writes the requests of a load for other load testers, and sends none of them: FILE for vegeta, FILE.k6.js for k6 (it
 * reads FILE), FILE.urls for oha. They contain keys, so only their owner can read them. Existing files are not replaced.
 * @returns the paths
 */
export async function writePlan(file: string, options: LoadOptions): Promise<string[]> {
  const found = await findTargets(options);
  demandAllowance(found, options.rate, options.duration / 60);
  const asks = await drawAll(options, planFrom(found.targets, options));
  const targets = asks.map(({ path, headers }): VegetaTarget => {
    const header = Object.entries(headers).map(([name, value]) => [name, [value]]);
    return { method: 'GET', url: `${options.url}${path}`, header: Object.fromEntries(header) };
  });
  const contents = {
    [file]: targets.map((target) => `${JSON.stringify(target)}\n`).join(''),
    [`${file}.k6.js`]: k6Script(basename(file), options),
    [`${file}.urls`]: targets.map(({ url }) => `${url}\n`).join(''),
  };
  for (const [path, content] of Object.entries(contents)) {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  }
  return Object.keys(contents);
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

function k6Script(plan: string, { rate, duration, connections }: LoadOptions): string {
  return `import http from 'k6/http';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';

const plan = new SharedArray('plan', () =>
  open(${JSON.stringify(`./${plan}`)}).trim().split('\\n').map((line) => JSON.parse(line)),
);

export const options = {
  scenarios: {
    plan: {
      executor: 'constant-arrival-rate',
      rate: ${Math.max(1, Math.round(rate))},
      duration: '${Math.max(1, Math.round(duration))}s',
      preAllocatedVUs: ${connections},
    },
  },
};

export default function () {
  const { url, header } = plan[exec.scenario.iterationInTest % plan.length];
  const headers = Object.fromEntries(Object.entries(header).map(([name, [value]]) => [name, value]));
  http.get(url, { headers, tags: { name: 'plan' } });
}
`;
}
