import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import type { oas31, ZodOpenApiOperationObject, ZodOpenApiOverrideContext } from 'zod-openapi';
import { DEFAULT_ADDRESS, historyOperations, operations } from '../documents/routes.ts';
import { engineSlugs } from '../methodology/constants.ts';
import type { Operation } from '../documents/routes.ts';
import { apiTables } from '../tables/names.ts';
import { headers } from './headers.ts';
import { introduction } from './introduction.ts';
import { responsesOf, sharedExamples, sharedResponses } from './responses.ts';
import type { Examples } from './responses.ts';

/** The OpenAPI 3.1 description of the API, derived from the routes, the schemas and the error table. */
export function buildOpenApi(examples: Examples): oas31.OpenAPIObject {
  const ids = idsOf(examples);
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
      servers: [{ url: DEFAULT_ADDRESS, description: 'The gateway' }],
      externalDocs: {
        url: 'docs', // relative to the description, so that the address is in it only once
        description: 'Try requests and read every field in a browser.',
      },
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      security: [{ bearer: [] }, { apiKey: [] }],
      paths: Object.fromEntries(
        operations.map((operation) => [operation.path, { get: describe(operation, ids) }]),
      ),
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
        examples: sharedExamples(examples),
      },
    },
    { override: forClients },
  ) as oas31.OpenAPIObject;
}

const tags = {
  Brands: 'Brands and prompts that the workspace tracks.',
  Measurements: 'How the answer engines treat a brand, as of the latest weekly cycle.',
  History: 'Every published snapshot, its documents as they were, and the proof that they are.',
};

function tagOf(operation: Operation): keyof typeof tags {
  if (historyOperations.includes(operation)) return 'History';
  return operation.operationId.startsWith('list') ? 'Brands' : 'Measurements';
}

function describe(operation: Operation, ids: Ids): ZodOpenApiOperationObject {
  const { operationId, path, summary, description } = operation;
  return {
    operationId,
    tags: [tagOf(operation)],
    summary,
    description,
    requestParams: {
      ...pathParameters(path, ids),
      header: requestHeaders,
    },
    responses: responsesOf(operation),
  };
}

function pathParameters(path: string, ids: Ids): { path?: z.ZodObject } {
  const names = Object.keys(ids).filter((name) => path.includes(`{${name}}`)) as (keyof Ids)[];
  if (names.length === 0) return {};
  return { path: z.object(Object.fromEntries(names.map((name) => [name, ids[name]]))) };
}

type Ids = ReturnType<typeof idsOf>;

const idsOf = ({ snapshots, brands }: Examples) => ({
  snapshotId: z.string().meta({
    description: 'Id of a snapshot, from the list of snapshots, or from X-Snapshot-Id.',
    param: { id: 'snapshotId', example: snapshots[0]!.id },
  }),
  brandId: z.uuid().meta({
    description: 'Id of a brand, from the list of brands.',
    param: { id: 'brandId', example: brands[0]!.id },
  }),
  table: z.enum(apiTables).meta({
    description: 'Name of a table.',
    param: { id: 'table', example: 'share_of_voice' },
  }),
});

const requestHeaders = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .meta({
      description: 'The ETag of the response that you have. While it is still current, the response is 304.',
      param: {
        id: 'ifNoneMatch',
        example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
      },
    }),
  'Accept-Encoding': z
    .string()
    .optional()
    .meta({
      description: 'The compression that you accept: gzip. Most HTTP clients send this header automatically.',
      param: { id: 'acceptEncoding', example: 'gzip' },
    }),
});

/** Removes constraints that v1 may relax, such as "no other fields": clients must not depend on them. */
function forClients({ jsonSchema }: ZodOpenApiOverrideContext): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern; // the format implies it
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (typeof jsonSchema.const === 'number') {
    Object.assign(jsonSchema, { type: 'integer', examples: [jsonSchema.const] });
    delete jsonSchema.const;
  }
  // Generators ignore propertyNames and would make a map with any string as key; optional properties are exact.
  if (jsonSchema.propertyNames !== undefined) {
    const series = jsonSchema.additionalProperties as object;
    jsonSchema.properties = Object.fromEntries(
      engineSlugs.map((slug) => [slug, { ...series, description: `Scores of ${slug}, oldest first.` }]),
    );
    delete jsonSchema.propertyNames;
    delete jsonSchema.additionalProperties;
  }
  const [value, other] = jsonSchema.anyOf ?? [];
  const isNullable = typeof value === 'object' && typeof other === 'object' && other.type === 'null';
  if (isNullable && value.$ref === undefined) {
    Object.assign(jsonSchema, value, { type: [value.type, 'null'] });
    if (value.enum !== undefined) jsonSchema.enum = [...value.enum, null];
    delete jsonSchema.anyOf;
  }
}
