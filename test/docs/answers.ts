import { operationIds, routes } from '../../lib/documents/routes.ts';
import type { OperationId } from '../../lib/documents/routes.ts';
import { schemaOfBody } from './bodies.ts';
import { EXAMPLE_TABLE } from './examples.ts';
import { shorten } from './shorten.ts';
import type { Tour } from './tour.ts';

/** The pages with responses in them. */
export const answerPages = ['README.md', 'docs/tour.md'] as const;

/** A page with its responses replaced by those of the gateway at the end of the tour. */
export async function withAnswers(page: string, tour: Tour): Promise<string> {
  const blocks = new Map<string, string>();
  const brands = await get(tour, routes.listBrands.path);
  const brandId = ((await brands.json()) as { data: { id: string }[] }).data[0]!.id;
  for (const id of operationIds) blocks.set(`answer: ${id}`, await answerBlock(tour, id, brandId));
  blocks.set('exchange: 200', exchangeBlock(await get(tour, routes.listBrands.path)));
  return page.replaceAll(
    /^<!-- ((?:answer|exchange): \w+) -->\n(?:\n*(?:<!-- prettier-ignore -->\n)?```\w+\n.*?^```\n)?/gms,
    (_, mark: string) => {
      const block = blocks.get(mark);
      if (block === undefined) throw new Error(`nothing answers ${mark}`);
      return `<!-- ${mark} -->\n\n<!-- prettier-ignore -->\n${block}\n`;
    },
  );
}

async function get({ url, key }: Tour, path: string): Promise<Response> {
  return await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' },
  });
}

async function answerBlock(tour: Tour, id: OperationId, brandId: string): Promise<string> {
  const path = routes[id].path.replace('{brandId}', brandId).replace('{table}', EXAMPLE_TABLE);
  const body: unknown = schemaOfBody(path).parse(await (await get(tour, path)).json());
  return `\`\`\`jsonc\n// GET ${path}\n${shorten(body)}\n\`\`\``;
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

function exchangeBlock(response: Response): string {
  const lines = ['HTTP/1.1 200 OK'];
  for (const [name, spell] of Object.entries(shownHeaders)) {
    const value = response.headers.get(name);
    if (value !== null) lines.push(`${name}: ${spell(value)}`);
  }
  return `\`\`\`http\n${lines.join('\n')}\n\`\`\``;
}
