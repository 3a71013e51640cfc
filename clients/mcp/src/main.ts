#!/usr/bin/env node
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Sightline } from 'sightline-client';
import { httpServer } from './http.ts';
import { createServer, version } from './server.ts';
import { SettingsError, readSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import type { Setting } from './tool.ts';
import { weeksOf } from './weeks.ts';

const HELP = `sightline-mcp ${version}: read-only tools over the Sightline API for assistants.

An assistant starts it and uses its standard input and output, with these variables in the environment:
  SIGHTLINE_URL              the address of the gateway, https://…
  SIGHTLINE_API_KEY          a key of the workspace, vis_…
  SIGHTLINE_PUBLIC_KEY_FILE  optional: the operator's public key in PEM, for verify_document

Options:
  --http     serve http://HOST:PORT/mcp (127.0.0.1:8081) to callers that send their own key: Authorization: Bearer vis_…
  --help     print this text
  --version  print the version
`;

/** To standard error, because standard output is for the protocol. */
function report(message: string): void {
  process.stderr.write(`sightline-mcp: ${message}\n`);
}

function fail(message: string): never {
  report(message);
  process.exit(1);
}

/** Makes the tools' context for a key. */
function settingsFor({ url, publicKey }: Settings): (apiKey: string) => Setting {
  const userAgent = `sightline-mcp/${version}`;
  const known = new Map<string, string>();
  return (apiKey) => {
    // No retries: an assistant must get errors at once, and each call must take a known number of requests.
    const client = new Sightline({ baseUrl: url, apiKey, maxRetries: 0, userAgent });
    return { client, weeks: weeksOf(client, known), publicKey };
  };
}

function serveHttp(settings: Settings): void {
  const settingFor = settingsFor(settings);
  const server = httpServer(
    (apiKey) => createServer(settingFor(apiKey)),
    ({ message }) => report(message),
  );
  server.once('error', ({ message }) => fail(message));
  server.listen(settings.port, settings.host, () => {
    const { address, family, port } = server.address() as AddressInfo;
    report(`serving http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`);
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
}

function serve(isHttp: boolean): void {
  const settings = readSettings(process.env, isHttp);
  if (settings.apiKey === null) return serveHttp(settings);
  const setting = settingsFor(settings)(settings.apiKey);
  serveStdio(() => createServer(setting), { onerror: ({ message }) => report(message) });
}

try {
  const {
    help = false,
    http = false,
    version: isVersion = false,
  } = parseArgs({
    options: { help: { type: 'boolean' }, http: { type: 'boolean' }, version: { type: 'boolean' } },
  }).values;
  if (help) process.stdout.write(HELP);
  else if (isVersion) process.stdout.write(`${version}\n`);
  else serve(http);
} catch (error) {
  // parseArgs throws a TypeError that names the option.
  if (error instanceof SettingsError || error instanceof TypeError) fail(error.message);
  throw error;
}
