import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { instructions } from './instructions.ts';
import { registerMondayReport } from './prompt.ts';
import type { Setting } from './tool.ts';
import { compareWeeks } from './tools/compare.ts';
import { getDocument } from './tools/document.ts';
import { listBrands, listSnapshots } from './tools/lists.ts';
import { verifyPublished } from './tools/verify.ts';
import { weekOfAll } from './tools/week.ts';

const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  name: string;
  version: string;
};

export { version };

const tools = [weekOfAll, listBrands, listSnapshots, getDocument, compareWeeks, verifyPublished];

/** The server of one connection, or of one request over HTTP. */
export function createServer(setting: Setting): McpServer {
  const server = new McpServer({ name, version, title: 'Sightline' }, { instructions });
  for (const register of tools) register(server, setting);
  registerMondayReport(server);
  return server;
}
