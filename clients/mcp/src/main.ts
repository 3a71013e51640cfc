#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Sightline } from 'sightline-client';
import { createServer, version } from './server.ts';
import { SettingsError, readSettings } from './settings.ts';
import { weeksOf } from './weeks.ts';

const HELP = `sightline-mcp ${version}: read-only tools over the Sightline API for assistants, over standard input and output.

An assistant starts it, with these variables in its environment:
  SIGHTLINE_URL              the address of the gateway, https://…
  SIGHTLINE_API_KEY          a key of the workspace, vis_…
  SIGHTLINE_PUBLIC_KEY_FILE  optional: the operator's public key in PEM, for verify_document

Options:
  --help     print this text
  --version  print the version
`;

/** Prints one line to standard error, because standard output is for the protocol, and exits. */
function fail(message: string): never {
  process.stderr.write(`sightline-mcp: ${message}\n`);
  process.exit(1);
}

function serve(): void {
  const { url, apiKey, publicKey } = readSettings(process.env);
  const userAgent = `sightline-mcp/${version}`;
  // No retries: an assistant must get errors at once, and each call must take a known number of requests.
  const client = new Sightline({ baseUrl: url, apiKey, maxRetries: 0, userAgent });
  const setting = { client, weeks: weeksOf(client), publicKey };
  serveStdio(() => createServer(setting), { onerror: (error) => process.stderr.write(`${error.message}\n`) });
}

try {
  const { help = false, version: isVersion = false } = parseArgs({
    options: { help: { type: 'boolean' }, version: { type: 'boolean' } },
  }).values;
  if (help) process.stdout.write(HELP);
  else if (isVersion) process.stdout.write(`${version}\n`);
  else serve();
} catch (error) {
  // parseArgs throws a TypeError that names the option.
  if (error instanceof SettingsError || error instanceof TypeError) fail(error.message);
  throw error;
}
