import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Sightline } from 'sightline-client';
import { ToolError, failureOf, resultOf } from './result.ts';
import type { Answer } from './result.ts';
import type { Options, Weeks } from './weeks.ts';

/** The context of the tools. */
export interface Setting {
  client: Sightline;
  weeks: Weeks;
  /** The operator's public keys in PEM; null if none were configured. */
  publicKey: string | null;
}

/** A tool that only reads. `read` gets arguments that `input` accepted. */
export interface Tool<Input> {
  name: string;
  title: string;
  description: string;
  input: StandardSchemaWithJSON<unknown, Input>;
  read: (input: Input, setting: Setting, options: Options) => Promise<Answer>;
}

export type Register = (server: McpServer, setting: Setting) => void;

/** Registers a tool. Errors that `read` throws become results with `isError`. */
export function readOnlyTool<Input>(tool: Tool<Input>): Register {
  const { name, title, description, input, read } = tool;
  return (server, setting) => {
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: unchecked(input),
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
      },
      async (args: unknown, { mcpReq: { signal } }): Promise<CallToolResult> => {
        try {
          return resultOf(await read(await accepted(input, args), setting, { signal }));
        } catch (error) {
          return failureOf(error as Error);
        }
      },
    );
  };
}

/** The schema for assistants, without validation: `accepted` validates, because the library's errors have no code. */
function unchecked(schema: StandardSchemaWithJSON): StandardSchemaWithJSON {
  return { '~standard': { ...schema['~standard'], types: undefined, validate: (value) => ({ value }) } };
}

/** @throws ToolError that names the invalid arguments */
async function accepted<Input>(
  schema: StandardSchemaWithJSON<unknown, Input>,
  args: unknown,
): Promise<Input> {
  const result = await schema['~standard'].validate(args);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ path = [], message }) => {
    const names = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return names.length === 0 ? message : `${names.join('.')}: ${message}`;
  });
  throw new ToolError('invalid_arguments', problems.join('; '));
}
