import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Sightline } from 'sightline-client';
import { failureOf, resultOf } from './result.ts';
import type { Answer } from './result.ts';
import type { Options, Weeks } from './weeks.ts';

/** What the tools work with. */
export interface Setting {
  client: Sightline;
  weeks: Weeks;
  /** The operator's public keys in PEM; null where none were configured. */
  publicKey: string | null;
}

/** A tool that only reads. `read` gets arguments that `input` accepted. */
export interface Tool<Input> {
  name: string;
  title: string;
  description: string;
  input: StandardSchemaWithJSON<unknown, Input>;
  output: StandardSchemaWithJSON;
  read: (input: Input, setting: Setting, options: Options) => Promise<Answer>;
}

export type Register = (server: McpServer, setting: Setting) => void;

/** Registers a tool; what `read` throws becomes a result with `isError`. */
export function readOnlyTool<Input>(tool: Tool<Input>): Register {
  const { name, title, description, input, output, read } = tool;
  return (server, setting) => {
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        outputSchema: output,
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
      },
      async (args: Input, { mcpReq: { signal } }): Promise<CallToolResult> => {
        try {
          return resultOf(await read(args, setting, { signal }));
        } catch (error) {
          return failureOf(error);
        }
      },
    );
  };
}
