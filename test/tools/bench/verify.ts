import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { printTable } from '../../../lib/cli.ts';
import { documentKinds, documentPath } from '../../../snapshots/layout.ts';
import type { DocumentKind } from '../../../snapshots/layout.ts';
import { whole } from './gateway/options.ts';
import { benchLog, publishAll } from './log.ts';

const BRANDS = 50;
/** Bytes of each document of a brand with 8 prompts on 8 engines after 20 weeks, as `npm run job -- demo` makes it. */
const sizes: Record<DocumentKind, number> = {
  visibility: 5600,
  stability: 41_000,
  competitors: 1400,
  sources: 2700,
  results: 12_000,
  timeline: 7000,
  prompts: 1400,
};

/** `bench verify`: `audit verify` of a long history, compared with `sha256sum` over the same files, as processes. */
export function verifyBench(): Command {
  return new Command('verify')
    .description('audit verify of a folder with 50 brands, compared with sha256sum over the same files.')
    .option('--weeks <n>', 'weeks of the history', whole, 40)
    .option('--rounds <n>', 'how often each is measured; the fastest counts', '5')
    .option('--json', 'print the result as JSON')
    .action(async ({ weeks, rounds, json }: { weeks: number; rounds: string; json?: true }) => {
      const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-verify-'));
      try {
        const publicKeyFile = await publishWeeks(folder, weeks);
        const result = measure(join(folder, 'store'), publicKeyFile, weeks, Number(rounds));
        if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
        else printTable([result]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

/** @returns the file of the public key */
async function publishWeeks(folder: string, weeks: number): Promise<string> {
  const log = await benchLog(folder);
  for (let week = 0; week < weeks; week++) {
    const documents = [{ path: 'brands.json', bytes: randomBytes(2000) }];
    for (let brand = 0; brand < BRANDS; brand++) {
      for (const kind of documentKinds) {
        documents.push({ path: documentPath(idOf(brand), kind), bytes: randomBytes(sizes[kind]) });
      }
    }
    const asOf = new Date(Date.UTC(2026, 0, 5) + week * 7 * 86_400_000).toISOString();
    const versions = { methodologyVersion: '1.0', codeVersion: 'bench', duckdbVersion: 'none' };
    await publishAll(log, [{ workspaceId: idOf(1), asOf, ...versions, inputs: [], documents }]);
  }
  return log.publicKeyFile;
}

function idOf(index: number): string {
  return `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

function measure(folder: string, publicKeyFile: string, weeks: number, rounds: number) {
  const cli = join(import.meta.dirname, '../../../snapshots/cli.ts');
  const verify: number[] = [];
  const sums: number[] = [];
  for (let round = 0; round < rounds; round++) {
    sums.push(secondsOf('sh', ['-c', `find . -name '*.json' -type f -print0 | xargs -0 sha256sum`], folder));
    verify.push(
      secondsOf(
        process.execPath,
        [cli, 'verify', '--store', folder, '--public-key', publicKeyFile, '--json'],
        folder,
      ),
    );
  }
  const sha256sum = Math.min(...sums);
  const ours = Math.min(...verify);
  const speed = Math.round((100 * sha256sum) / ours) / 100;
  return {
    documents: weeks * (BRANDS * documentKinds.length + 1),
    cores: availableParallelism(),
    sha256sum,
    verify: ours,
    speed,
  };
}

/** @throws Error if the command fails: a fast failure is no measurement. */
function secondsOf(command: string, options: readonly string[], cwd: string): number {
  const started = performance.now();
  execFileSync(command, options, { cwd, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });
  return Math.round(performance.now() - started) / 1000;
}
