import { Failure } from '../../../lib/failure.ts';
import { projectFiles } from '../../house/files.ts';

/** The sources of the product, in TypeScript and SQL. */
export function sourceFiles(): string[] {
  return projectFiles().filter((path) =>
    /^(?:lib|snapshots|jobs|gateway|infra\/doctor|clients\/\w+\/src)\/.*\.(?:ts|sql)$/.test(path),
  );
}

const wholeJob = ['test/golden.test.ts', 'test/frozen'];

/**
 * By folder, names of tests, the cheapest first; {@link stepsOf} makes runs of Vitest of them. Every source file has an
 * entry (tests.test.ts); that of the innermost folder counts.
 */
export const testsOf: Record<string, readonly string[]> = {
  lib: ['test/lib/', 'test/jobs/commands', 'test/snapshots/golden'],
  'lib/methodology': [
    'test/lib/methodology',
    'test/lib/documents',
    'test/lib/openapi',
    'test/docs/methodology',
    'test/golden.test.ts',
    'test/jobs/random-drops',
  ],
  'lib/documents': [
    'test/lib/documents',
    'test/lib/openapi',
    'test/golden.test.ts',
    'test/jobs/random-drops',
  ],
  'lib/openapi': ['test/lib/openapi', 'test/gateway/docs'],
  'lib/proofs': ['test/clients/typescript/verify', 'test/clients/typescript/commands'],
  'lib/weeks': ['test/lib/weeks', 'test/snapshots/diff', 'test/gateway/explore/golden', 'test/clients/mcp'],
  'lib/tables': ['test/lib/documents', 'test/golden.test.ts', 'test/jobs/export/golden'],
  'lib/store': ['test/lib/store'],
  'infra/doctor': ['test/doctor'],
  gateway: [
    'test/gateway/http',
    'test/gateway/start',
    'test/gateway/observe',
    'test/gateway/docs/documentation.test.ts',
    'test/gateway/process',
    'test/quickstart',
  ],
  'gateway/admission': [
    'test/gateway/http/responses',
    'test/gateway/admission',
    'test/gateway/observe/operations',
    'test/gateway/faults',
  ],
  'gateway/docs': ['test/gateway/docs', 'test/clients/python'],
  'gateway/documents': ['test/gateway/documents', 'test/gateway/http/responses', 'test/gateway/process'],
  'gateway/explore': ['test/gateway/explore/golden', 'test/gateway/explore'],
  'gateway/http': [
    'test/gateway/http',
    'test/gateway/documents',
    'test/gateway/flood',
    'test/gateway/process',
    'test/gateway/docs',
    'test/gateway/start',
  ],
  'gateway/observe': [
    'test/gateway/observe',
    'test/gateway/http/connections',
    'test/gateway/process',
    'test/gateway/flood',
  ],
  'gateway/records': [
    'test/gateway/records/commands',
    'test/gateway/records',
    'test/gateway/admission/history',
    'test/gateway/http/responses',
  ],
  snapshots: ['test/snapshots/golden', 'test/snapshots/', ...wholeJob],
  'snapshots/audit': ['test/snapshots/golden', 'test/snapshots/'],
  'snapshots/diff': ['test/snapshots/diff', 'test/snapshots/golden', ...wholeJob],
  'snapshots/log': [
    'test/snapshots/golden',
    'test/snapshots/log',
    'test/snapshots/verify',
    'test/gateway/documents/proofs',
    'test/clients/typescript/verify',
  ],
  'snapshots/publish': ['test/snapshots/log/commit', 'test/snapshots/log/interrupted'],
  'snapshots/reading': ['test/snapshots/golden', 'test/snapshots/'],
  'snapshots/recover': [
    'test/snapshots/golden',
    'test/snapshots/log',
    'test/snapshots/verify/tampering.test.ts',
    'test/snapshots/recover',
  ],
  'snapshots/verify': ['test/snapshots/golden', 'test/snapshots/verify', 'test/snapshots/'],
  'snapshots/withdraw': ['test/snapshots/golden', 'test/snapshots/withdraw', 'test/snapshots/'],
  jobs: ['test/jobs/duckdb', 'test/jobs/commands', 'test/jobs/ingest', ...wholeJob, 'test/jobs/'],
  'jobs/demo': ['test/jobs/demo', 'test/jobs/commands', 'test/docs/commands'],
  'jobs/export': ['test/jobs/export', 'test/jobs/commands'],
  'jobs/import': ['test/jobs/import', 'test/jobs/commands'],
  'jobs/ingest': ['test/jobs/ingest', 'test/jobs/commands', 'test/golden.test.ts'],
  'jobs/lake': ['test/jobs/commands', 'test/jobs/weekly/weekly.test.ts', 'test/jobs/lake'],
  'jobs/remove': ['test/jobs/commands', 'test/jobs/remove'],
  'jobs/schedule': ['test/jobs/schedule', 'test/jobs/commands'],
  'jobs/weekly': ['test/golden.test.ts', 'test/jobs/commands', 'test/jobs/weekly', 'test/jobs/random-drops'],
  'clients/typescript': ['test/clients/typescript'],
  'clients/mcp': ['test/clients/mcp'],
};

/**
 * The arguments of Vitest for a source file, in steps: a step runs only if those before it found nothing. First what `npm
 * test` has of each name, then what only `npm run test:all` has of all of them. @throws Failure if the file has no tests
 */
export function stepsOf(file: string): string[][] {
  const folders = Object.keys(testsOf).filter((folder) => file.startsWith(`${folder}/`));
  const innermost = folders.toSorted((a, b) => b.length - a.length)[0];
  if (innermost === undefined) throw new Failure(`${file}: no tests in test/tools/mutants/tests.ts`);
  const names = testsOf[innermost]!;
  const quick = names.map((name) => ['--tags-filter', '!machine && !long', name]);
  return [...quick, ['--tags-filter', 'machine || long', ...names]];
}
