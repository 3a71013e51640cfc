import { documentSchemas } from '../../lib/documents/schemas.ts';
import { operationIds, routes } from '../../lib/documents/routes.ts';
import type { DocumentName } from '../../lib/documents/kinds.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import type { Tour } from './tour.ts';

const TREND_POINTS = 5;
export const EXAMPLE_TABLE = 'share_of_voice_by_engine';
const TABLE_ROWS = 8;

/** The examples of the OpenAPI description: documents of the first brand of the tour, shortened, and still valid. */
export async function exampleDocuments(tour: Tour): Promise<Documents> {
  const headers = { authorization: `Bearer ${tour.key}` };
  const get = async (path: string) =>
    (await (await fetch(`${tour.url}${path}`, { headers })).json()) as never;
  const { data: brands } = (await get(routes.listBrands.path)) as { data: Documents['brands'] };
  const found: Partial<Record<DocumentName, unknown>> = {};
  for (const id of operationIds) {
    const { answer, path } = routes[id];
    const concrete = path.replace('{brandId}', brands[0]!.id).replace('{table}', EXAMPLE_TABLE);
    const { data } = (await get(concrete)) as { data: unknown };
    found[answer] = documentSchemas[answer].parse(data);
  }
  return shortened(found as Documents);
}

/** Only whole entries are left out, so that every rule between fields still applies. */
function shortened(documents: Documents): Documents {
  const { week, table, visibility, stability, sources, results, prompts } = documents;
  const trend = Object.entries(visibility.trend).map(
    ([slug, points]) => [slug, points.slice(-TREND_POINTS)] as const,
  );
  const oldest = trend.flatMap(([, points]) => points.map(({ date }) => date)).toSorted()[0]!;
  const [prompt] = stability.prompts;
  const engines = prompt!.engines
    .slice(0, 2)
    .map((engine) => ({ ...engine, carousel: engine.carousel.slice(0, 3) }));
  return {
    ...documents,
    week: { ...week, brands: week.brands.slice(0, 1) },
    table: { ...table, rows: table.rows.slice(0, TABLE_ROWS) },
    visibility: {
      ...visibility,
      events: visibility.events.filter(({ date }) => date >= oldest),
      trend: Object.fromEntries(trend) as typeof visibility.trend,
    },
    stability: { ...stability, prompts: [{ ...prompt!, engines }] },
    sources: { ...sources, sources: sources.sources.slice(0, 5) },
    results: { ...results, prompts: results.prompts.slice(0, 1) },
    prompts: { ...prompts, prompts: prompts.prompts.slice(0, 3) },
  };
}
