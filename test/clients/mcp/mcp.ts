import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { compileCache, root } from '../tools.ts';

export const mcp = join(root, 'clients/mcp');

interface ListedTool {
  name: string;
  description: string;
  inputSchema: object;
  outputSchema?: object;
  annotations: Record<string, boolean>;
}

/** The JSON of a result that is not an error. */
export interface Content<Data> {
  snapshotId: string;
  asOf: string;
  inWords?: string[];
  truncated: boolean;
  howToAskForLess?: string;
  page?: { offset: number; shown: number; total: number };
  untrusted: { notice: string; fields: string[] };
  data: Data;
}

export interface Failed {
  code: string;
  message: string;
  retryAfterSeconds: number | null;
  requestId: string | null;
}

interface CallResult {
  content: { type: string; text: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** The parts of the official client that the tests use. */
interface OfficialClient {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  getInstructions(): string | undefined;
  getProtocolEra(): string | undefined;
  listTools(): Promise<{ tools: ListedTool[] }>;
  listPrompts(): Promise<{ prompts: { name: string; title: string }[] }>;
  getPrompt(request: {
    name: string;
    arguments?: object;
  }): Promise<{ messages: { content: { text: string } }[] }>;
  callTool(call: { name: string; arguments: object }, options?: object): Promise<CallResult>;
}

export interface Assistant {
  client: OfficialClient;
  /** What a tool returns. @throws Error for a result with `isError` */
  call<Data>(name: string, input?: object): Promise<Content<Data>>;
  /** The error that a tool returns. */
  failure(name: string, input?: object): Promise<Failed>;
  /** Ends the server. Resolves to its standard error. */
  end(): Promise<string>;
}

export interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** The server from its source and the client's, which needs no build. */
export function serverOf(env: Record<string, string>): Server {
  const hooks = join(import.meta.dirname, 'from-source.ts');
  return {
    command: process.execPath,
    args: ['--import', hooks, join(mcp, 'src/main.ts')],
    env: { ...compileCache, ...env },
  };
}

export type Era = 'legacy' | 'auto';

/** Starts the server as an assistant does, with the official client; ends it with the test. */
export async function startAssistant(server: Server, era: Era = 'legacy'): Promise<Assistant> {
  const { StdioClientTransport } = await official<{
    StdioClientTransport: new (server: object) => { stderr: Readable };
  }>('client/stdio');
  const transport = new StdioClientTransport({ ...server, stderr: 'pipe' });
  return await assistantOver(transport, era, text(transport.stderr));
}

/** Connects the official client to a server over HTTP, with these headers in each request. */
export async function connectAssistant(
  url: string,
  headers: Record<string, string>,
  era: Era = 'legacy',
): Promise<Assistant> {
  const { StreamableHTTPClientTransport } = await official<{
    StreamableHTTPClientTransport: new (url: URL, options: object) => object;
  }>('client');
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return await assistantOver(transport, era, Promise.resolve(''));
}

async function assistantOver(transport: object, era: Era, stderr: Promise<string>): Promise<Assistant> {
  const { Client } = await official<{ Client: new (...args: object[]) => OfficialClient }>('client');
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(transport);
  const end = async () => {
    await client.close();
    return await stderr;
  };
  onTestFinished(async () => void (await end()));
  const called = async (name: string, input: object) => {
    const { isError = false, content } = await client.callTool({ name, arguments: input });
    return { isError, body: content[0]!.text };
  };
  return {
    client,
    end,
    call: async <Data>(name: string, input: object = {}) => {
      const { isError, body } = await called(name, input);
      if (isError) throw new Error(body);
      return JSON.parse(body) as Content<Data>;
    },
    failure: async (name, input = {}) => {
      const { isError, body } = await called(name, input);
      if (!isError) throw new Error('no error');
      return (JSON.parse(body) as { error: Failed }).error;
    },
  };
}

async function official<Module>(name: string): Promise<Module> {
  const resolve = createRequire(join(mcp, 'package.json')).resolve;
  return (await import(pathToFileURL(resolve(`@modelcontextprotocol/${name}`)).href)) as Module;
}
