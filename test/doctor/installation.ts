import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runHere } from '../support/command-line.ts';

/** Everything in one folder: records, store, lake, keys. */
export interface Installation {
  folder: string;
  settings: Record<string, string>;
}

function installationIn(folder: string): Installation {
  const settings = {
    STORE_URL: join(folder, 'store'),
    LAKE_URL: join(folder, 'lake'),
    RECORDS_URL: `sqlite:${join(folder, 'records.db')}`,
    SIGNING_KEY_FILE: join(folder, 'sightline.private.pem'),
    PUBLIC_KEY_FILE: join(folder, 'sightline.public.pem'),
  };
  return { folder, settings };
}

/** Runs a command with the settings of an installation, and returns what it printed. */
export async function run({ settings }: Installation, line: string): Promise<string> {
  const [program, ...args] = line.split(' ');
  const ended = await runHere(program as 'job' | 'audit' | 'records', args, { settings });
  expect(ended).toMatchObject({ status: 0 });
  return ended.stdout;
}

/** Made-up data of this week, published and signed, and a workspace with a key. */
export async function install(folder: string): Promise<Installation> {
  const installed = installationIn(folder);
  await run(installed, `audit keygen --out ${folder}/sightline`);
  await run(installed, `job demo --to ${folder}/drop --workspaces 1 --brands 2 --prompts 2 --cycles 2`);
  await run(installed, `job ingest --from ${folder}/drop --date 2026-01-01`);
  const { snapshots } = JSON.parse(await run(installed, 'job weekly --json')) as {
    snapshots: { workspaceId: string }[];
  };
  const { workspaceId } = snapshots[0]!;
  await run(installed, `records workspace set ${workspaceId} --name Acme --plan agency`);
  await run(installed, `records key create ${workspaceId}`);
  return installed;
}

/** A copy of the installation in an empty folder. */
export async function copyOf({ folder }: Installation, copy: string): Promise<Installation> {
  await cp(folder, copy, { recursive: true, preserveTimestamps: true });
  return installationIn(copy);
}
