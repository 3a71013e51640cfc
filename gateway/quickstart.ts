import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { systemClock } from '../lib/clock.ts';
import { readConfig } from '../lib/config.ts';
import type { Config } from '../lib/config.ts';
import { Failure, WrongSetting } from '../lib/failure.ts';
import { openStore } from '../lib/store/open.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { brandsOf } from '../snapshots/layout.ts';
import { readHistory, readLog } from '../snapshots/log/follow.ts';
import type { LogView } from '../snapshots/log/follow.ts';
import { currentOf } from '../snapshots/log/history.ts';
import { NO_PUBLIC_KEY, configuredTrust, originOf } from '../snapshots/log/identity.ts';
import { readManifest } from '../snapshots/read.ts';
import { createLog } from './observe/log.ts';
import { publishDemo } from './quickstart-demo.ts';
import type { Records } from './records/records.ts';
import { withRecords } from './records/commands/shared.ts';
import { runGateway } from './run-gateway.ts';

/** The folder of the quick start's files, next to the default store and lake. Missing files are created again. */
const DATA = '.data';
/** The demo's API key: the records contain only its hash, and a second start must print it again. */
const KEY_FILE = join(DATA, 'demo-key');

function quickstartCommand(): Command {
  return new Command('start')
    .description(
      'Makes demo data, ingests it, runs the weekly job, and serves the result; re-uses existing data.',
    )
    .addHelpText(
      'after',
      '\nHOST and PORT set the address (127.0.0.1:8080). To start from scratch, remove .data.',
    )
    .action(quickstart);
}

async function quickstart(): Promise<void> {
  const config = readConfig(undefined, { LOG_LEVEL: 'warn' }); // a line for each request is for operators
  process.umask(0o077); // what it makes may hold names and measurements of customers
  const store = openStore(config.STORE_URL);
  if (!(await store.folders('')).includes('log')) await publishDemo(DATA, systemClock.now());
  const trust = await configuredTrust(config);
  if (trust === undefined) throw new WrongSetting(NO_PUBLIC_KEY);
  const log = await readLog(store, { origin: originOf(config, config.STORE_URL), trust });
  const workspaceIds = [...(log?.heads.keys() ?? [])].toSorted();
  const [workspaceId] = workspaceIds;
  if (log === null || workspaceId === undefined) throw new Failure(`${store.url} has no snapshots`);
  const key = await demoKey(workspaceId);
  const brandId = await anyBrand(store, log, workspaceId);
  await runGateway(config, createLog(config.LOG_LEVEL), (url) =>
    welcome(config, url, key, brandId, auditCommands(config, store.url, workspaceIds)),
  );
}

/** Sample `audit` commands for this store, without options that are not needed here. */
function auditCommands(config: Config, storeUrl: string, workspaceIds: readonly string[]): string[] {
  const isDefault = config.STORE_URL.kind === 'directory' && config.STORE_URL.path === join(DATA, 'store');
  const store = isDefault ? '' : ` --store '${storeUrl}'`;
  const one = workspaceIds.length === 1 ? '' : ` --workspace ${workspaceIds[0]}`;
  return [
    `list${store}`,
    `diff previous current${one}${store}`,
    `verify --state ${join(DATA, 'checkpoint')}${store}`,
  ].map((command) => `npm run audit -- ${command}`);
}

function welcome(
  config: Config,
  url: string,
  key: string,
  brandId: string | undefined,
  audits: readonly string[],
): void {
  const curl = (path: string) => `  curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/brands${path}`;
  const where =
    config.STORE_URL.kind === 'directory' ? `The snapshots are in ${config.STORE_URL.path}. ` : '';
  const lines = [
    `\nServing ${url}, described at ${url}/docs. Look at the week at ${url}/explore, with the key\n`,
    `  ${key}\n`,
    'or try the API:\n',
    curl(''),
    ...(brandId === undefined ? [] : [curl(`/${brandId}/visibility`)]),
    '\nEvery week is kept in a signed log. List the weeks, compare two, verify them all:\n',
    ...audits.map((command) => `  ${command}`),
    `\n${where}Ctrl-C stops it.\n`,
  ];
  process.stdout.write(lines.join('\n'));
}

/** The key of an earlier start if it still works, otherwise a new one. An existing workspace is not changed. */
async function demoKey(workspaceId: string): Promise<string> {
  const known = await readFile(KEY_FILE, 'utf8').catch(() => null);
  let key = '';
  await withRecords('create', async (records) => {
    const workspaces = await records.listWorkspaces();
    if (!workspaces.some(({ id }) => id === workspaceId)) {
      await records.setWorkspace({ id: workspaceId, name: 'Demo', plan: 'scale', requestsPerMinute: null });
    }
    const works = known !== null && (await isActive(records, workspaceId, known));
    key = works ? known : (await records.makeKey(workspaceId, 'quick start')).key;
  });
  await mkdir(dirname(KEY_FILE), { recursive: true });
  await writeFile(KEY_FILE, key, { mode: 0o600 });
  return key;
}

async function isActive(records: Records, workspaceId: string, key: string): Promise<boolean> {
  const keys = await records.listKeys(workspaceId);
  return keys.some(({ prefix, revokedAt }) => key.startsWith(prefix) && revokedAt === null);
}

/** Undefined for a workspace without brands. */
async function anyBrand(store: ObjectStore, log: LogView, workspaceId: string): Promise<string | undefined> {
  const current = currentOf((await readHistory(store, log, workspaceId))!);
  if (current === null) return undefined;
  const { documents } = await readManifest(store, workspaceId, current);
  return [...brandsOf(documents)][0];
}

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runCommand(quickstartCommand, argv);
}

// Exits even if a stalled reader of standard output has not taken the last lines.
if (import.meta.main) process.exit(await main(process.argv));
