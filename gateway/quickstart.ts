import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { readConfig } from '../lib/config.ts';
import type { Config } from '../lib/config.ts';
import { Failure } from '../lib/failure.ts';
import { openStore } from '../lib/store/open.ts';
import type { ObjectStore } from '../lib/store/store.ts';
import { WORKSPACES } from '../snapshots/layout.ts';
import { readManifest, readPointer } from '../snapshots/read.ts';
import { createLog } from './observe/log.ts';
import { makeKey } from './records/make-key.ts';
import type { Records } from './records/records.ts';
import { withRecords } from './records/commands/with-records.ts';
import { serve } from './serve.ts';

/** What the quick start makes, and makes again when it is missing, lives here beside the default store and lake. */
const DATA = '.data';
const DROP = join(DATA, 'drop');
/** Only hashes of keys are in the records; a second start can print the key because it is kept here. */
const KEY_FILE = join(DATA, 'demo-key');

function quickstartCommand(): Command {
  return new Command('start')
    .description(
      'Makes demo data, ingests it, runs the weekly job, and serves the result; re-uses what is there.',
    )
    .addHelpText(
      'after',
      '\nHOST and PORT say where it listens (127.0.0.1:8080); to begin anew, remove .data.',
    )
    .action(quickstart);
}

async function quickstart(): Promise<void> {
  const config = readConfig(undefined, { LOG_LEVEL: 'warn' }); // a line for each request is for operators
  const store = openStore(config.STORE_URL);
  if ((await store.folders(WORKSPACES)).length === 0) await publishDemo();
  const [workspaceId] = await store.folders(WORKSPACES);
  const key = await demoKey(workspaceId!);
  const brandId = await anyBrand(store, workspaceId!);
  await serve(config, createLog(config.LOG_LEVEL), (url) => welcome(config, url, key, brandId));
}

function welcome(config: Config, url: string, key: string, brandId: string | null): void {
  const curl = (path: string) => `  curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/brands${path}\n`;
  const lines = [`\nServing ${url}, described at ${url}/docs. Try it:\n\n`, curl('')];
  if (brandId !== null) lines.push(curl(`/${brandId}/visibility`));
  if (config.STORE_URL.kind === 'directory') lines.push(`\nThe snapshots are in ${config.STORE_URL.path}. `);
  process.stdout.write(`${lines.join('')}Ctrl-C stops it.\n`);
}

async function publishDemo(): Promise<void> {
  if (!(await exists(DROP))) await step('making demo data', ['demo', '--to', DROP]);
  await step('ingesting it', ['ingest', '--from', DROP]);
  await step('computing and publishing the snapshots', ['weekly']);
}

async function step(what: string, args: readonly string[]): Promise<void> {
  process.stdout.write(`${what} …`);
  const started = performance.now();
  try {
    await runJob(args);
    process.stdout.write(` ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } finally {
    process.stdout.write('\n');
  }
}

/** The key of an earlier start while it works, otherwise a new one. A workspace on record is left as it is. */
async function demoKey(workspaceId: string): Promise<string> {
  const known = await readFile(KEY_FILE, 'utf8').catch(() => null);
  let key = '';
  await withRecords('create', async (records) => {
    const workspaces = await records.listWorkspaces();
    if (!workspaces.some(({ id }) => id === workspaceId)) {
      await records.setWorkspace({ id: workspaceId, name: 'Demo', plan: 'scale', requestsPerMinute: null });
    }
    const works = known !== null && (await isActive(records, workspaceId, known));
    key = works ? known : (await makeKey(records, workspaceId, 'quick start')).key;
  });
  if (key === known) return key;
  await mkdir(dirname(KEY_FILE), { recursive: true });
  await writeFile(KEY_FILE, key, { mode: 0o600 });
  return key;
}

async function isActive(records: Records, workspaceId: string, key: string): Promise<boolean> {
  const keys = await records.listKeys(workspaceId);
  return keys.some(({ prefix, revokedAt }) => key.startsWith(prefix) && revokedAt === null);
}

/** Null for a workspace without brands. */
async function anyBrand(store: ObjectStore, workspaceId: string): Promise<string | null> {
  const pointer = await readPointer(store, workspaceId);
  if (pointer === null) return null;
  const { documents } = await readManifest(store, workspaceId, pointer);
  return documents.flatMap(({ path }) => /^brands\/([^/]+)\//.exec(path)?.[1] ?? [])[0] ?? null;
}

/**
 * Runs one of our own commands, as an operator would: the gateway imports nothing of the job.
 * @throws Failure with what the command said of its own failure.
 */
async function runJob(args: readonly string[]): Promise<void> {
  const program = join(import.meta.dirname, '../jobs/cli.ts');
  try {
    await promisify(execFile)(process.execPath, [program, ...args], { maxBuffer: 1 << 26 });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().replace(/^sightline: /, '') ?? '';
    throw new Failure(said === '' ? String(error) : said, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

// Ends although a reader of standard output that stalls has not taken the last lines.
process.exit(await runCommand(quickstartCommand, process.argv));
