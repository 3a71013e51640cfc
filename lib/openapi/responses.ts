import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { documentSchemas } from '../documents/index.ts';
import type { Route, Status } from '../documents/index.ts';
import { errorBody, errorTable } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import examples from './examples.json' with { type: 'json' };
import { headersByStatus } from './headers.ts';

const error = errorBody.meta({
  id: 'ApiError', // not Error: generators export it under this name
  description: 'The body of every error response. Branch on the code.',
});

/** The success of an operation, with an example from the demo's data. */
function successOf(route: Route): ZodOpenApiResponseObject {
  const data = documentSchemas[route.document];
  const { id, description } = data.meta() as { id: string; description: string };
  return {
    description,
    headers: headersByStatus[200],
    content: {
      'application/json': {
        schema: z.object({ data }).meta({ id: `${id}Response`, description: 'The body of a success.' }),
        examples: { demo: { summary: "From the demo's data", value: { data: examples[route.document] } } },
      },
    },
  };
}

const shared: Record<Exclude<Status, 200>, { name: string; description: string }> = {
  304: {
    name: 'NotModified',
    description:
      'The document has not changed since the response with the ETag that was sent. No body. Counts against the allowance.',
  },
  401: {
    name: 'Unauthorized',
    description:
      'No key was sent, or it is malformed, unknown or revoked. Does not count against the allowance.',
  },
  402: {
    name: 'PlanRequired',
    description: "The workspace's plan does not include API access. Does not count against the allowance.",
  },
  404: {
    name: 'NotFound',
    description:
      'The id is not a UUID, no such brand exists, or it belongs to another workspace; these cases are indistinguishable on purpose. Get the ids from the list of brands. Counts against the allowance.',
  },
  429: {
    name: 'RateLimited',
    description:
      'The workspace has used up its requests for this minute. Wait for the seconds in Retry-After.',
  },
  500: { name: 'Internal', description: 'The service failed. Retry with backoff.' },
};

/** The responses that operations share, by the name of their component. */
export const sharedResponses = Object.fromEntries(
  ([304, 401, 402, 404, 429, 500] as const).map((status) => [
    shared[status].name,
    {
      description: shared[status].description,
      headers: headersByStatus[status],
      ...(status === 304
        ? {}
        : { content: { 'application/json': { schema: error, examples: errorsOf(status) } } }),
    },
  ]),
);

function errorsOf(status: Status) {
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code].status === status);
  return Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: code, value: { error: { code, message: errorTable[code].message } } },
    ]),
  );
}

/** All responses of an operation, by status. */
export function responsesOf(route: Route) {
  return Object.fromEntries(
    route.statuses.map((status) => [
      `${status}`,
      status === 200 ? successOf(route) : { $ref: `#/components/responses/${shared[status].name}` },
    ]),
  );
}
