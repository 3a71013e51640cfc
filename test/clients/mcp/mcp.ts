import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { startDescribedGateway } from '../../gateway/described-gateway.ts';
import { compileCache, root } from '../tools.ts';

export interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** The server from its source and the client's, which needs no build. */
export function serverOf(env: Record<string, string>): Server {
  const hooks = join(import.meta.dirname, 'from-source.ts');
  const args = ['--import', hooks, join(root, 'clients/mcp/src/main.ts')];
  return { command: process.execPath, args, env: { ...compileCache, ...env } };
}

/** The gateway's clock, which stands still: all requests of a test are in one minute, which ends after 50 seconds. */
const clock = { now: () => Date.parse('2026-11-24T06:30:10Z') };

/** A gateway with the examples, some of them replaced, that ends with the test; and a server's settings for it. */
export async function startWorkspace(replaced: Partial<Documents> = {}) {
  const gateway = await startDescribedGateway(clock, replaced);
  onTestFinished(() => gateway.close());
  return { gateway, env: { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key } };
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

/** The parts of the official client that the tests use. */
interface OfficialClient {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  getInstructions(): string | undefined;
  listTools(): Promise<{
    tools: { name: string; inputSchema: object; annotations: Record<string, boolean> }[];
  }>;
  getPrompt(request: object): Promise<{ messages: { content: { text: string } }[] }>;
  callTool(call: object): Promise<{ content: { text: string }[]; isError?: boolean }>;
}

/** Which version of the protocol the client begins with. */
type Era = 'legacy' | 'auto';

/** Starts the server as an assistant does, with the official client; ends it with the test. */
export async function startAssistant(server: Server) {
  const { StdioClientTransport } = await official<{
    StdioClientTransport: new (server: object) => { stderr: Readable };
  }>('client/stdio');
  const transport = new StdioClientTransport({ ...server, stderr: 'pipe' });
  return await assistantOver(transport, 'legacy', text(transport.stderr));
}

/** Connects the official client to a server over HTTP, with a key in each request. */
export async function connectAssistant(url: string, key: string, era: Era = 'legacy') {
  const { StreamableHTTPClientTransport } = await official<{
    StreamableHTTPClientTransport: new (url: URL, options: object) => object;
  }>('client');
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
  return await assistantOver(transport, era, Promise.resolve(''));
}

async function assistantOver(transport: object, era: Era, stderr: Promise<string>) {
  const { Client } = await official<{ Client: new (...args: object[]) => OfficialClient }>('client');
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(transport);
  /** Ends the server. Resolves to its standard error. */
  const end = async () => {
    await client.close();
    return await stderr;
  };
  onTestFinished(async () => void (await end()));
  const resultOf = async (name: string, input: object, isExpected: boolean): Promise<unknown> => {
    const { isError = false, content } = await client.callTool({ name, arguments: input });
    if (isError !== isExpected || content.length !== 1) throw new Error(JSON.stringify(content));
    return JSON.parse(content[0]!.text);
  };
  return {
    client,
    end,
    /** What a tool returns. @throws Error for a result with `isError` */
    call: async <Data>(name: string, input: object = {}) =>
      (await resultOf(name, input, false)) as Content<Data>,
    /** The error that a tool returns. */
    failure: async (name: string, input: object = {}) =>
      ((await resultOf(name, input, true)) as { error: object }).error,
  };
}

async function official<Module>(name: string): Promise<Module> {
  const resolve = createRequire(join(root, 'clients/mcp/package.json')).resolve;
  return (await import(pathToFileURL(resolve(`@modelcontextprotocol/${name}`)).href)) as Module;
}
