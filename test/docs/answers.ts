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
  const etag = brands.headers.get('etag')!;
  const exchanges = [
    ['200', await get(tour, routes.listBrands.path)],
    ['304', await get(tour, routes.listBrands.path, { 'if-none-match': etag })],
    ['401', await get(tour, routes.listBrands.path, { authorization: `Bearer vis_${'0'.repeat(48)}` })],
  ] as const;
  for (const [status, response] of exchanges) {
    if (String(response.status) !== status) throw new Error(`status ${response.status} instead of ${status}`);
    blocks.set(`exchange: ${status}`, await exchangeBlock(response));
  }
  return page.replaceAll(
    /^<!-- ((?:answer|exchange): \w+) -->\n(?:\n*(?:<!-- prettier-ignore -->\n)?```\w+\n.*?^```\n)?/gms,
    (_, mark: string) => {
      const block = blocks.get(mark);
      if (block === undefined) throw new Error(`nothing answers ${mark}`);
      return `<!-- ${mark} -->\n\n<!-- prettier-ignore -->\n${block}\n`;
    },
  );
}

async function get(
  { url, key }: Tour,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity', ...headers },
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

async function exchangeBlock(response: Response): Promise<string> {
  const reasons: Record<number, string> = { 200: 'OK', 304: 'Not Modified', 401: 'Unauthorized' };
  const lines = [`HTTP/1.1 ${response.status} ${reasons[response.status]}`];
  for (const [name, spell] of Object.entries(shownHeaders)) {
    const value = response.headers.get(name);
    if (value !== null) lines.push(`${name}: ${spell(value)}`);
  }
  if (response.status === 401) lines.push('', await response.text());
  return `\`\`\`http\n${lines.join('\n')}\n\`\`\``;
}
