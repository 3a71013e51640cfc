import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { documentSchemas } from '../documents/schemas.ts';
import { errorBody, errorTable } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { snapshotProofSchema, snapshotsSchema } from '../history/schemas.ts';
import type { Operation } from '../documents/routes.ts';
import { headersByStatus, statuses } from './headers.ts';
import type { Status } from './headers.ts';

const error = errorBody.meta({
  id: 'ApiError', // not Error: generators export it under this name
  description: 'The body of every error response. Branch on the code.',
});

/** The 200 response of an operation, with an example from the demo's data. */
function successOf({ answer }: Operation): ZodOpenApiResponseObject {
  return {
    description: (answers[answer].meta() as { description: string }).description,
    headers: headersByStatus[200],
    content: {
      'application/json': {
        schema: bodies.get(answer)!,
        examples: { demo: { $ref: `#/components/examples/${answer}` } },
      },
    },
  };
}

const answers = { ...documentSchemas, snapshots: snapshotsSchema, proof: snapshotProofSchema };

/** Each schema once: two operations return each document, the current one and that of a snapshot. */
const bodies = new Map(
  Object.entries(answers).map(([answer, data]: [string, z.ZodType]) => {
    const id = `${(data.meta() as { id: string }).id}Response`;
    return [answer, z.object({ data }).meta({ id, description: 'The body of a successful response.' })];
  }),
);

/** The `data` of each response, by the name of its document. */
export type Examples = Record<Operation['answer'], unknown> &
  Record<'brands' | 'snapshots', readonly { id: string }[]>;

/** The example of every response body, from the demo's data. */
export const sharedExamples = (examples: Examples) =>
  Object.fromEntries(
    Object.entries(examples).map(([answer, data]) => [
      answer,
      { summary: "From the demo's data", value: { data } },
    ]),
  );

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
      'The id is malformed, unknown or of another workspace, or the snapshot was pruned. These cases are indistinguishable on purpose. Get the ids from the lists of brands and of snapshots. Counts against the allowance.',
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
  statuses.flatMap((status) => {
    if (status === 200) return [];
    const { name, description } = shared[status];
    const content = { 'application/json': { schema: error, examples: errorsOf(status) } };
    const headers = headersByStatus[status];
    return [[name, { description, headers, ...(status === 304 ? {} : { content }) }]];
  }),
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

/**
 * Every status that a caller of this path can get. Without an id in it nothing can be missing, but the week in a snapshot
 * of an older version.
 */
export function statusesOf(path: string): Status[] {
  return statuses.filter((status) => status !== 404 || path.includes('{') || path.endsWith('/week'));
}

/** All responses of an operation, by status. */
export function responsesOf(operation: Operation) {
  return Object.fromEntries(
    statusesOf(operation.path).map((status) => [
      `${status}`,
      status === 200 ? successOf(operation) : { $ref: `#/components/responses/${shared[status].name}` },
    ]),
  );
}
