import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const all = 'test/**/*.test.ts';
const infra = 'test/infra/**/*.test.ts';
const rehearsal = 'test/rehearsal/**/*.test.ts';
/** Files that replace a module for all that import it. */
const mocks = 'test/**/*.mocked.test.ts';

/**
 * The limit of hooks, and of tests that run jobs or programs or start servers: they take up to half a minute alone, and
 * minutes next to other programs on one core. All other tests have a minute.
 */
const SLOW_TEST_MS = 600_000;

/** These boot Debian, or run a whole installation. */
const slow = {
  testTimeout: SLOW_TEST_MS,
  env: { UNTIL_SECONDS: String(SLOW_TEST_MS / 2000) },
};

/**
 * `npm test` runs the projects `product` and `mocks` without the tests that are tagged `machine` or `long`. `npm run
 * test:all` runs everything. `describeWith`, `describeS3` and `describeInDebian` (test/support, test/infra) set the tag
 * `machine`. The other tags select nothing.
 */
export const tags = [
  {
    name: 'machine',
    description: 'Needs more than Node and npm: a Debian package, a server, or root.',
    timeout: SLOW_TEST_MS,
  },
  { name: 'long', description: 'Takes longer than a contributor should wait.', timeout: SLOW_TEST_MS },
  {
    name: 'slow',
    description: 'Runs jobs or programs: seconds alone, minutes next to other programs.',
    timeout: SLOW_TEST_MS,
  },
  {
    name: 'black-box',
    description: 'Reaches the product only through test/adapters; runs jobs and programs, as `slow`.',
    timeout: SLOW_TEST_MS,
  },
];

/** The files that take minutes, the longest first. */
const longest = ['infra/one-machine', 'infra/image', 'jobs/commands'].map((name) => `test/${name}.test.ts`);

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((path) => moduleId.endsWith(path));
  return place === -1 ? longest.length : place;
}

/** Begins with the longest files. In a fresh clone Vitest knows no durations, and would begin with the largest files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not of an array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  // The MCP server runs with the sources of the client: the built package may be older.
  resolve: { alias: { 'sightline-client': join(import.meta.dirname, 'clients/typescript/src') } },
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['./test/reporter.ts'],
    setupFiles: ['environment-of-each-file.ts', 'seed.ts'].map((file) =>
      join(import.meta.dirname, 'test/support', file),
    ),
    tags,
    // Vitest's default leaves one core to itself, which is half of a small machine; and many tests wait: for browsers,
    // downloads, servers that fail, a minute of a rate limit. With one worker more, two cores take 6 % longer for `npm test`.
    maxWorkers: availableParallelism() + 1,
    // No test waits for a clock: these only end what hangs. Hooks prepare whole stores and start servers.
    testTimeout: 60_000,
    hookTimeout: SLOW_TEST_MS,
    env: {
      // Half an hour off every whole offset: what depends on the machine's time zone fails here.
      TZ: 'America/St_Johns',
      // Tests start hundreds of Node programs; compiled once, each starts in half the time.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/tests'),
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: [all],
          exclude: [mocks, infra, rehearsal],
          // A worker loads a module once, and not for each file of tests: a tenth of the time of `npm test`.
          isolate: false,
          setupFiles: [join(import.meta.dirname, 'test/support/one-thread.ts')],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'mocks', include: [mocks], sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'infra',
          include: [infra],
          globalSetup: 'test/infra/plain-debians.ts',
          ...slow,
          sequence: { groupOrder: 1 },
        },
      },
      // Last and alone: its servers, jobs and clients use the whole machine, and it counts the errors that clients see.
      {
        extends: true,
        test: { name: 'rehearsal', include: [rehearsal], sequence: { groupOrder: 2 }, ...slow },
      },
    ],
  },
});
