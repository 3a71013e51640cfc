import { z } from 'zod';
import { documentSchemas } from '../../lib/documents/schemas.ts';
import { operationIds, routes } from '../../lib/documents/routes.ts';

/** The schema of a 200 response for a path. */
export function schemaOfBody(path: string): z.ZodType {
  const id = operationIds.find((operation) => {
    const pattern = routes[operation].path.replace('{brandId}', '[0-9a-f-]{36}').replace('{table}', '\\w+');
    return new RegExp(`^${pattern}$`).test(path);
  });
  if (id === undefined) throw new Error(`${path} is no path of the API`);
  return z.strictObject({ data: documentSchemas[routes[id].answer] });
}
