import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFiles } from '../../house/files.ts';
import { mutate } from './sites.ts';
import type { Mutant } from './sites.ts';

const root = join(import.meta.dirname, '../../..');
/** Made by `npm ci`, and not in git. */
const PAGE = 'gateway/explore/page.js';

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
    symlinkSync(join(root, 'node_modules'), join(this.#project, 'node_modules'));
    // Some tests ask git for the files of the project.
    execFileSync('git', ['init', '--quiet'], { cwd: this.#project });
  }

  /**
   * Runs tests until the first that fails.
   * @returns the name of the test that failed, or null. A run that takes longer than `seconds` counts as failed.
   */
  async firstFailure(tests: readonly string[], seconds: number): Promise<string | null> {
    const output = join(this.#folder, 'report.json');
    rmSync(output, { force: true });
    const projects = ['--project', 'product', '--project', 'mocks'];
    const options = ['--bail', '1', '--maxWorkers', '1', '--reporter', 'json', '--outputFile', output];
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...options];
    const child = spawn(process.execPath, [...vitest, ...tests], {
      cwd: this.#project,
      // As `npm run` sets it: tests start programs by `node`, and the machine's own may be older.
      env: {
        ...process.env,
        PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
        TMPDIR: join(this.#folder, 'tmp'),
      },
      stdio: 'ignore',
      // A group of its own, which ends with all programs that the tests started.
      detached: true,
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
    });
    this.#running = child.pid!;
    const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
    this.#stop();
    if (status === 0) return null;
    return signal === 'SIGKILL' ? `no end within ${seconds} s` : failedTest(output);
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

interface JsonReport {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

function failedTest(output: string): string {
  try {
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as JsonReport;
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = all.find(({ status }) => status === 'failed');
    if (failed !== undefined) return failed.fullName.trim();
    // A file that does not load, or whose set-up fails, has no failed test.
    const file = testResults.find(({ status }) => status === 'failed');
    return file === undefined ? 'tests that did not run' : `${file.name}: ${file.message}`;
  } catch {
    return 'tests that did not run';
  }
}
