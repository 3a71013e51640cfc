import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { readConfig } from '../lib/config.ts';
import { Failure } from '../lib/failure.ts';
import { openStore } from '../lib/store/open.ts';
import { WORKSPACES } from '../snapshots/layout.ts';
import { createLog } from './log.ts';
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
  const config = readConfig();
  const store = openStore(config.STORE_URL);
  if ((await store.folders(WORKSPACES)).length === 0) await publishDemo();
  const [workspaceId] = await store.folders(WORKSPACES);
  const key = await demoKey(workspaceId!);
  await serve(config, createLog(config.LOG_LEVEL), (url) => {
    process.stdout.write(`\nServing ${url} (documentation: ${url}/docs). Try it:\n\n`);
    process.stdout.write(`  curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/brands\n\n`);
  });
}

async function publishDemo(): Promise<void> {
  if (!(await exists(DROP))) await step('making demo data', 'jobs/cli.ts', ['demo', '--to', DROP]);
  await step('ingesting it', 'jobs/cli.ts', ['ingest', '--from', DROP]);
  await step('computing and publishing the snapshots', 'jobs/cli.ts', ['weekly']);
}

async function step(what: string, program: string, args: readonly string[]): Promise<void> {
  process.stdout.write(`${what} …`);
  const started = performance.now();
  await run(program, args);
  process.stdout.write(` ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

/** The key of an earlier start while it works, otherwise a new one. */
async function demoKey(workspaceId: string): Promise<string> {
  const known = await readFile(KEY_FILE, 'utf8').catch(() => null);
  if (known !== null && (await isActive(known, workspaceId))) return known;
  await run('gateway/records/cli.ts', ['workspace', 'set', workspaceId, '--name', 'Demo', '--plan', 'scale']);
  const made = await run('gateway/records/cli.ts', ['key', 'create', workspaceId, '--label', 'quick start']);
  const key = made.trim();
  await mkdir(dirname(KEY_FILE), { recursive: true });
  await writeFile(KEY_FILE, key, { mode: 0o600 });
  return key;
}

async function isActive(key: string, workspaceId: string): Promise<boolean> {
  const listed = await run('gateway/records/cli.ts', ['key', 'list', workspaceId, '--json']).catch(
    () => '[]',
  );
  const keys = JSON.parse(listed) as { prefix: string; revokedAt: string | null }[];
  return keys.some(({ prefix, revokedAt }) => key.startsWith(prefix) && revokedAt === null);
}

/**
 * Runs one of our own commands, as an operator would: the gateway imports nothing of the job.
 * @throws Failure with what the command said of its own failure.
 */
async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      maxBuffer: 1 << 26,
    });
    return stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Failure(stderr?.trim().replace(/^sightline: /, '') ?? String(error), { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

await runCommand(quickstartCommand, process.argv);
