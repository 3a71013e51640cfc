import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync } from 'node:fs';
import { readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { projectFiles } from '../../house/files.ts';
import { mutate } from './sites.ts';
import type { Mutant } from './sites.ts';

const root = join(import.meta.dirname, '../../..');
/** Made by `npm ci`, and not in git. */
const PAGE = 'gateway/explore/page.js';
const packages = ['node_modules', 'clients/node_modules'];

/**
 * A copy of the project in a temporary folder, in which mutants are tested one after the other. Temporary files of the
 * tests are in the same folder: {@link Copy.remove} removes them with it, and ends a run of tests.
 */
export class Copy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  readonly #project = join(this.#folder, 'project');
  #running: number | null = null;

  constructor() {
    // PostgreSQL runs as another user where the tests run as root.
    chmodSync(this.#folder, 0o755);
    mkdirSync(join(this.#folder, 'tmp'), { mode: 0o1777 });
    for (const file of [...projectFiles(), PAGE]) cpSync(join(root, file), join(this.#project, file));
    for (const folder of packages) if (existsSync(join(root, folder))) this.#link(folder);
    // Some tests ask git for the files of the project.
    execFileSync('git', ['init', '--quiet'], { cwd: this.#project });
  }

  /**
   * Runs tests until the first that fails.
   * @returns the name of the test that failed, or null. A run that takes longer than `seconds` counts as failed.
   */
  async firstFailure(tests: readonly string[], seconds: number): Promise<string | null> {
    const report = join(this.#folder, 'report.txt');
    const output = openSync(report, 'w');
    const options = ['--project', 'product', '--project', 'mocks', '--bail', '1', '--maxWorkers', '1'];
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...options, ...tests];
    const child = spawn(process.execPath, vitest, {
      cwd: this.#project,
      // As `npm run` sets it: tests start programs by `node`, and the machine's own may be older.
      env: {
        ...process.env,
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        TMPDIR: join(this.#folder, 'tmp'),
      },
      stdio: ['ignore', output, output],
      // A group of its own, which ends with all programs that the tests started.
      detached: true,
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
    });
    closeSync(output);
    this.#running = child.pid!;
    const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
    this.#stop();
    if (status === 0) return null;
    if (signal === 'SIGKILL') return `no end within ${seconds} s`;
    const text = stripVTControlCharacters(readFileSync(report, 'utf8'));
    return /^ *FAIL +(.*\S)/m.exec(text)?.[1] ?? 'tests that did not run';
  }

  /** Runs steps of tests on a mutant, until one finds it. */
  async test(mutant: Mutant, steps: readonly string[][], seconds: number): Promise<string | null> {
    const path = join(this.#project, mutant.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, mutate(text, mutant));
    // Otherwise the page would be older than its sources, which a test finds whatever was changed.
    execFileSync('npm', ['run', '--silent', 'explore'], { cwd: this.#project });
    try {
      for (const tests of steps) {
        const failed = await this.firstFailure(tests, seconds);
        if (failed !== null) return failed;
      }
      return null;
    } finally {
      writeFileSync(path, text);
    }
  }

  /** Packages are not copied. Links to folders of the project lead into the copy. */
  #link(folder: string): void {
    mkdirSync(join(this.#project, folder), { recursive: true });
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(root, folder, entry.name);
      const target = entry.isSymbolicLink() ? readlinkSync(path) : path;
      symlinkSync(target, join(this.#project, folder, entry.name));
    }
  }

  remove(): void {
    this.#stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #stop(): void {
    try {
      if (this.#running !== null) process.kill(-this.#running, 'SIGKILL');
    } catch {
      // The group has ended.
    }
    this.#running = null;
  }
}
