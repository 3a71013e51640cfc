import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Finding } from '../../infra/doctor/finding.ts';
import { runHere } from '../support/command-line.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Everything in one folder: records, store, lake, keys. */
export interface Installation {
  folder: string;
  settings: Record<string, string>;
}

function settingsOf(folder: string): Record<string, string> {
  return {
    STORE_URL: join(folder, 'store'),
    LAKE_URL: join(folder, 'lake'),
    RECORDS_URL: `sqlite:${join(folder, 'records.db')}`,
    SIGNING_KEY_FILE: join(folder, 'sightline.private.pem'),
    PUBLIC_KEY_FILE: join(folder, 'sightline.public.pem'),
  };
}

/** Made-up data of this week, published and signed, and a workspace with a key. */
export async function install(folder: string): Promise<Installation> {
  const settings = settingsOf(folder);
  const run = async (program: 'job' | 'audit' | 'records', ...args: string[]) => {
    // The keys are not there before they are made.
    const ended = await runHere(program, args, { settings });
    expect(ended).toMatchObject({ status: 0 });
    return ended.stdout;
  };
  await run('audit', 'keygen', '--out', join(folder, 'sightline'));
  const sizes = ['--workspaces', '2', '--brands', '2', '--prompts', '2', '--cycles', '2'];
  await run('job', 'demo', '--to', join(folder, 'drop'), ...sizes);
  await run('job', 'ingest', '--from', join(folder, 'drop'), '--date', '2026-01-01');
  const { snapshots } = JSON.parse(await run('job', 'weekly', '--json')) as {
    snapshots: { workspaceId: string }[];
  };
  const { workspaceId } = snapshots[0]!;
  await run('records', 'workspace', 'set', workspaceId, '--name', 'Acme', '--plan', 'agency');
  await run('records', 'key', 'create', workspaceId);
  return { folder, settings };
}

/** A copy of the installation for one test. */
export async function copyOf({ folder }: Installation): Promise<Installation> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true, preserveTimestamps: true });
  return { folder: copy, settings: settingsOf(copy) };
}

export interface Examined {
  status: number | null;
  isHealthy: boolean;
  findings: Finding[];
  /** The findings that are neither ok nor skipped, as `STATE SUBJECT`. */
  complaints: string[];
  /** The text of the finding of a subject. */
  found: (subject: string) => string;
}

/** `npm run doctor -- --json`. */
export async function doctor(settings: Record<string, string>, ...args: string[]): Promise<Examined> {
  const ended = await runProgram('infra/doctor/cli.ts', [...args, '--json'], settings);
  expect(ended.stderr).toBe('');
  const report = JSON.parse(ended.stdout) as Pick<Examined, 'isHealthy' | 'findings'>;
  const bad = report.findings.filter(({ state }) => state === 'warning' || state === 'failure');
  for (const { remedy } of bad) expect(remedy).not.toBeNull();
  return {
    ...report,
    status: ended.status,
    complaints: bad.map(({ subject, state }) => `${state} ${subject}`),
    found: (subject) => report.findings.find((finding) => finding.subject === subject)!.found,
  };
}
