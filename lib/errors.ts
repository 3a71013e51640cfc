import { z } from 'zod';

/**
 * Every error that a client can get.
 * The messages are for people and may change; clients branch on the code.
 */
export const errorTable = {
  missing_key: {
    status: 401,
    message:
      'No API key was sent. Send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>".',
  },
  invalid_key: { status: 401, message: 'The API key is malformed, unknown or revoked.' },
  plan_required: { status: 402, message: 'The plan of this workspace does not include API access.' },
  not_found: { status: 404, message: 'There is nothing here for this key.' },
  rate_limited: {
    status: 429,
    message: 'The workspace has used up its requests for this minute. Wait for the seconds in Retry-After.',
  },
  internal: { status: 500, message: 'The service failed. Try again with backoff.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** The body of every error. */
export const errorBody = z.object({
  error: z.object({
    code: z.enum(errorCodes).describe('What went wrong. The list is complete, so you can branch on it.'),
    message: z.string().min(1).describe('A text for people. The wording may change: do not parse it.'),
  }),
});

export type ErrorBody = z.infer<typeof errorBody>;
