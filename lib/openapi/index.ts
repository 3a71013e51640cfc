import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import type { oas31, ZodOpenApiOperationObject, ZodOpenApiOverrideContext } from 'zod-openapi';
import { operationIds, routes } from '../documents/index.ts';
import type { OperationId } from '../documents/index.ts';
import examples from './examples.json' with { type: 'json' };
import { headers } from './headers.ts';
import { introduction } from './introduction.ts';
import { responsesOf, sharedResponses } from './responses.ts';

const tags = {
  Brands: 'What the workspace tracks.',
  Measurements: 'What the answer engines say, as of the latest weekly cycle.',
} as const;

const tagOf: Record<OperationId, keyof typeof tags> = {
  listBrands: 'Brands',
  getVisibility: 'Measurements',
  getStability: 'Measurements',
  getCompetitors: 'Measurements',
  getSources: 'Measurements',
  listPrompts: 'Brands',
};

/** The OpenAPI 3.1 description of the API (spec 9), derived from the routes, the schemas and the error table. */
export function buildOpenApi(): oas31.OpenAPIObject {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Sightline',
        version: '1.0.0',
        summary: 'Read-only brand visibility in AI search.',
        description: introduction,
        contact: { name: 'The Sightline authors' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The gateway that serves this description' }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      security: [{ bearer: [] }, { apiKey: [] }],
      paths: Object.fromEntries(operationIds.map((id) => [routes[id].path, { get: operationOf(id) }])),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'vis_ and 48 hexadecimal digits',
            description: 'Authorization: Bearer <API_KEY>',
          },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'x-api-key: <API_KEY>' },
        },
        headers,
        responses: sharedResponses,
      },
    },
    { override: forClients },
  ) as oas31.OpenAPIObject;
}

function operationOf(id: OperationId): ZodOpenApiOperationObject {
  const { path, summary, description } = routes[id];
  return {
    operationId: id,
    tags: [tagOf[id]],
    summary,
    description,
    ...(path.includes('{brandId}') ? { requestParams: { path: z.object({ brandId }) } } : {}),
    responses: responsesOf(routes[id]),
  };
}

const brandId = z.uuid().meta({
  description: 'Id of a brand, from the list of brands.',
  param: { id: 'brandId', example: examples.brands[0]!.id },
});

/** What holds for documents today and must not bind clients: fields may be added within v1 (spec 9). */
function forClients({ jsonSchema }: ZodOpenApiOverrideContext): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern; // the format says it, shorter
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (typeof jsonSchema.const === 'number') {
    Object.assign(jsonSchema, { type: 'integer', examples: [jsonSchema.const] });
    delete jsonSchema.const;
  }
  const [value, other] = jsonSchema.anyOf ?? [];
  if (typeof value === 'object' && typeof other === 'object' && other.type === 'null') {
    Object.assign(jsonSchema, value, { type: [value.type, 'null'] });
    delete jsonSchema.anyOf;
  }
}
