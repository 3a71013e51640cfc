import type { Server } from 'node:http';
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

type Report = (message: string) => void;

/** Standard output is for the protocol. */
function reportOnStderr(message: string): void {
  process.stderr.write(`sightline-mcp: ${message}\n`);
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

/** Serves over HTTP, and reports the address. */
export function serveHttp(settings: Settings, report: Report): Server {
  const settingFor = settingsFor(settings);
  const server = httpServer(
    (apiKey) => createServer(settingFor(apiKey)),
    ({ message }) => report(message),
  );
  server.once('error', ({ message }) => {
    report(message);
    process.exitCode = 1;
  });
  return server.listen(settings.port, settings.host, () => {
    const { address, family, port } = server.address() as AddressInfo;
    report(`serving http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`);
  });
}

function serve(settings: Settings): void {
  if (settings.apiKey === null) {
    const server = serveHttp(settings, reportOnStderr);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
    return;
  }
  const setting = settingsFor(settings)(settings.apiKey);
  serveStdio(() => createServer(setting), { onerror: ({ message }) => reportOnStderr(message) });
}

/** Runs the command line `sightline-mcp` with the words after its name. Returns the exit status. */
export function main(args: readonly string[], environment: NodeJS.ProcessEnv): number {
  try {
    const {
      help = false,
      http = false,
      version: isVersion = false,
    } = parseArgs({
      args: [...args],
      options: { help: { type: 'boolean' }, http: { type: 'boolean' }, version: { type: 'boolean' } },
    }).values;
    if (help) process.stdout.write(HELP);
    else if (isVersion) process.stdout.write(`${version}\n`);
    else serve(readSettings(environment, http));
    return 0;
  } catch (error) {
    // parseArgs throws a TypeError that names the option.
    if (error instanceof SettingsError || error instanceof TypeError) {
      reportOnStderr(error.message);
      return 1;
    }
    throw error;
  }
}
