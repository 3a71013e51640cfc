const quick = (...tests: string[]) => ['--tags-filter', '!machine && !long', ...tests];
const long = (...tests: string[]) => ['--tags-filter', '!machine', ...tests];
/** Needs programs of the machine, such as a Ceph; without them, Vitest skips the tests. */
const withMachine = (...tests: string[]) => tests;

const wholeJob = quick('test/golden.test.ts', 'test/frozen');

/**
 * By folder, the arguments of Vitest in steps: a step runs only if those before it found nothing. The first steps run
 * the tests of the same folder, the cheapest first. Together they take a few minutes. Every source file has an entry
 * (tests.test.ts); the entry of the innermost folder counts.
 */
export const testsOf: Record<string, readonly string[][]> = {
  lib: [quick('test/lib/'), long('test/lib/cli.test.ts', 'test/lib/files')],
  'lib/methodology': [
    quick('test/lib/methodology', 'test/lib/documents', 'test/docs/methodology'),
    quick('test/golden.test.ts', 'test/jobs/random-drops'),
  ],
  'lib/documents': [quick('test/lib/documents')],
  'infra/doctor': [long('test/doctor')],
  'lib/openapi': [quick('test/lib/openapi', 'test/gateway/docs')],
  'lib/proofs': [quick('test/clients/typescript/verify')],
  'lib/weeks': [
    quick('test/lib/weeks', 'test/snapshots/diff'),
    quick('test/gateway/explore', 'test/clients/mcp'),
  ],
  'lib/store': [quick('test/lib/store')],
  'lib/store/s3': [quick('test/lib/store/s3'), withMachine('test/lib/store/s3')],
  gateway: [
    quick('test/gateway/time-limits', 'test/gateway/http/http'),
    quick('test/gateway/process'),
    long('test/quickstart'),
  ],
  'gateway/admission': [
    quick('test/gateway/admission/admission', 'test/gateway/admission/allowance'),
    quick('test/gateway/admission/refusals-sqlite', 'test/gateway/admission/every-route'),
    quick('test/gateway/admission/history', 'test/gateway/faults'),
  ],
  'gateway/docs': [
    quick('test/gateway/docs'),
    withMachine('test/gateway/docs', 'test/clients/python', 'test/clients/generated'),
  ],
  'gateway/documents': [
    quick('test/gateway/documents'),
    quick('test/gateway/http/http', 'test/gateway/process'),
    long('test/gateway/documents'),
  ],
  'gateway/explore': [quick('test/gateway/explore'), withMachine('test/gateway/explore')],
  'gateway/http': [
    quick('test/gateway/http'),
    quick('test/gateway/documents/heads', 'test/gateway/documents/documents', 'test/gateway/time-limits'),
    quick('test/gateway/flood', 'test/gateway/process', 'test/gateway/docs'),
  ],
  'gateway/observe': [quick('test/gateway/observe'), long('test/gateway/observe')],
  'gateway/records': [
    quick('test/gateway/records'),
    quick('test/gateway/admission/history', 'test/gateway/admission/refusals-sqlite'),
    long('test/gateway/records'),
    withMachine('test/gateway/records'),
  ],
  snapshots: [
    quick('test/snapshots/signing', 'test/snapshots/log', 'test/snapshots/publish'),
    quick('test/snapshots/verify', 'test/snapshots/withdraw', 'test/snapshots/at-once'),
    wholeJob,
  ],
  'snapshots/audit': [quick('test/snapshots/audit'), long('test/snapshots/audit')],
  'snapshots/diff': [quick('test/snapshots/diff'), wholeJob],
  'snapshots/log': [
    quick('test/snapshots/log'),
    quick('test/snapshots/verify', 'test/snapshots/publish', 'test/snapshots/withdraw/prune'),
    quick('test/gateway/documents/proofs', 'test/clients/typescript/verify'),
  ],
  'snapshots/publish': [quick('test/snapshots/publish'), long('test/snapshots/publish/killed')],
  'snapshots/reading': [
    quick('test/snapshots/audit', 'test/snapshots/withdraw'),
    long('test/snapshots/audit'),
  ],
  'snapshots/recover': [
    quick('test/snapshots/log/recover', 'test/snapshots/log/killed', 'test/snapshots/log/damaged'),
    quick('test/snapshots/verify/tampering.test.ts'),
    long('test/snapshots/recover'),
  ],
  'snapshots/verify': [quick('test/snapshots/verify'), long('test/snapshots/audit/cli')],
  'snapshots/withdraw': [
    quick('test/snapshots/withdraw'),
    long('test/snapshots/withdraw/commands', 'test/docs/removal'),
  ],
  jobs: [
    quick('test/jobs/duckdb', 'test/jobs/concurrency', 'test/jobs/cron'),
    quick('test/jobs/ingest/write', 'test/jobs/weekly/weekly.test.ts'),
    wholeJob,
  ],
  'jobs/demo': [long('test/jobs/demo')],
  'jobs/export': [long('test/jobs/export')],
  'jobs/import': [long('test/jobs/import')],
  'jobs/ingest': [
    quick('test/jobs/ingest/refusals', 'test/jobs/ingest/lines'),
    quick('test/jobs/ingest/ingest.test.ts', 'test/jobs/ingest/tracking', 'test/jobs/ingest/write'),
    quick('test/jobs/ingest/command'),
    long('test/jobs/ingest/repeated', 'test/jobs/ingest/parquet', 'test/jobs/ingest/killed'),
  ],
  'jobs/lake': [
    quick('test/jobs/lake'),
    quick('test/jobs/ingest/ingest.test.ts', 'test/jobs/weekly/weekly.test.ts'),
  ],
  'jobs/remove': [long('test/jobs/remove')],
  'jobs/schedule': [quick('test/jobs/schedule'), long('test/jobs/schedule')],
  'jobs/weekly': [
    quick('test/golden.test.ts'),
    quick('test/jobs/weekly/completeness'),
    quick('test/jobs/weekly/weekly.test.ts', 'test/jobs/weekly/future-runs', 'test/jobs/random-drops'),
    quick('test/jobs/weekly', 'test/jobs/lake'),
    long('test/jobs/weekly', 'test/jobs/schedule/outcomes'),
  ],
  'clients/typescript': [quick('test/clients/typescript'), long('test/clients/typescript')],
  'clients/mcp': [quick('test/clients/mcp'), withMachine('test/clients/mcp')],
};

/** The steps for a source file: those of the innermost folder that has some; undefined if there are none. */
export function stepsOf(file: string): readonly string[][] | undefined {
  const folders = Object.keys(testsOf).filter((folder) => file.startsWith(`${folder}/`));
  const innermost = folders.toSorted((a, b) => b.length - a.length)[0];
  return innermost === undefined ? undefined : testsOf[innermost];
}
