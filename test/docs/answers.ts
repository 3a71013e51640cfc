import type { TableDocument } from '../../lib/documents/table.ts';
import { routes } from '../../lib/documents/routes.ts';
import { EXAMPLE_TABLE } from './examples.ts';
import type { Tour } from './tour.ts';

/** The pages with responses in them. */
export const answerPages = ['README.md', 'docs/tour.md'] as const;

/** A page with its responses replaced by those of the gateway at the end of the tour. */
export async function withAnswers(page: string, tour: Tour): Promise<string> {
  const blocks: Record<string, string> = {
    'answer: getTable': await tableBlock(tour),
    'exchange: 200': exchangeBlock(await get(tour, routes.listBrands.path)),
  };
  return page.replaceAll(
    /^<!-- ((?:answer|exchange): \w+) -->\n(?:\n*(?:<!-- oxfmt-ignore -->\n)?```\w+\n.*?^```\n)?/gms,
    (_, mark: string) => {
      const block = blocks[mark];
      if (block === undefined) throw new Error(`nothing answers ${mark}`);
      return `<!-- ${mark} -->\n\n<!-- oxfmt-ignore -->\n${block}\n`;
    },
  );
}

async function get({ url, key }: Tour, path: string): Promise<Response> {
  return await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' },
  });
}

/** The beginning of a table. */
async function tableBlock(tour: Tour): Promise<string> {
  const path = routes.getTable.path.replace('{table}', EXAMPLE_TABLE);
  const { data } = (await (await get(tour, path)).json()) as { data: TableDocument };
  const lists = Object.entries(data).map(([name, entries]) => {
    const [first, second] = entries.map(oneLine);
    const left = entries.length - 2;
    return `    "${name}": [\n      ${first},\n      ${second}\n      // … and ${left} more\n    ]`;
  });
  return `\`\`\`jsonc\n// GET ${path}\n{\n  "data": {\n${lists.join(',\n')}\n  }\n}\n\`\`\``;
}

function oneLine(entry: unknown): string {
  const spaced = JSON.stringify(entry, null, 1).replaceAll(/\n */g, ' ');
  return spaced.replace(/^\[ /, '[').replace(/ \]$/, ']');
}

/** The headers that pages explain, in that order; values that change by the minute are made up. */
const shownHeaders: Record<string, (value: string) => string> = {
  ETag: (value) => value,
  'Cache-Control': (value) => value,
  'X-Snapshot-Id': (value) => value,
  'X-RateLimit-Limit': (value) => value,
  'X-RateLimit-Remaining': () => '59',
  'X-RateLimit-Reset': () => '1795262220',
};

function exchangeBlock({ headers }: Response): string {
  const lines = Object.entries(shownHeaders).map(
    ([name, valueOf]) => `${name}: ${valueOf(headers.get(name)!)}`,
  );
  return `\`\`\`http\nHTTP/1.1 200 OK\n${lines.join('\n')}\n\`\`\``;
}
