import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { instructions } from './instructions.ts';
import type { Register, Setting } from './tool.ts';
import { compareWeeks } from './tools/compare.ts';
import { documentTools, listBrands } from './tools/documents.ts';
import { documentAsOf, listSnapshots } from './tools/past.ts';
import { verifyPublished } from './tools/verify.ts';

const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  name: string;
  version: string;
};

export { version };

const tools: readonly Register[] = [
  listBrands,
  ...documentTools,
  listSnapshots,
  documentAsOf,
  compareWeeks,
  verifyPublished,
];

/** The server of one connection, with all tools. */
export function createServer(setting: Setting): McpServer {
  const server = new McpServer({ name, version, title: 'Sightline' }, { instructions });
  for (const register of tools) register(server, setting);
  return server;
}
