const quick = (...tests: string[]) => ['--tags-filter', '!machine && !long', ...tests];
const long = (...tests: string[]) => ['--tags-filter', '!machine', ...tests];
/** Needs the S3 server of `test/support/s3-server.ts`; without it, Vitest skips the tests. */
const withServer = (...tests: string[]) => tests;

/**
 * By folder, the arguments of Vitest in steps: a step runs only if those before it found nothing. The first steps run
 * the tests of the same folder, the cheapest first. Together they take a minute or two.
 */
export const testsOf: Record<string, readonly string[][]> = {
  'lib/methodology': [
    quick('test/lib/methodology', 'test/lib/documents', 'test/docs/methodology'),
    quick('test/golden.test.ts', 'test/reference'),
  ],
  'lib/documents': [quick('test/lib/documents')],
  'lib/store/s3': [quick('test/lib/store/s3'), withServer('test/lib/store/s3/contract')],
  'lib/store': [quick('test/lib/store')],
  'gateway/admission': [
    quick('test/gateway/admission/admission', 'test/gateway/admission/allowance'),
    quick('test/gateway/admission/refusals-sqlite', 'test/gateway/admission/credential'),
    quick('test/gateway/admission/history', 'test/gateway/flags'),
  ],
  'gateway/http': [
    quick('test/gateway/http'),
    quick('test/gateway/documents/heads', 'test/gateway/documents/documents', 'test/gateway/time-limits'),
  ],
  'snapshots/log': [
    quick('test/snapshots/log'),
    quick('test/snapshots/verify', 'test/snapshots/publish', 'test/snapshots/withdraw/prune'),
  ],
  'snapshots/publish': [
    quick('test/snapshots/publish'),
    long('test/snapshots/publish/killed', 'test/snapshots/withdraw/unpublished'),
  ],
  'snapshots/verify': [
    quick('test/snapshots/verify'),
    long('test/snapshots/verify/tampering.test.ts', 'test/snapshots/audit/cli'),
  ],
  'jobs/ingest': [
    quick('test/jobs/ingest/refusals', 'test/jobs/ingest/lines', 'test/jobs/ingest/repeated'),
    quick('test/jobs/ingest/ingest.test.ts', 'test/jobs/ingest/tracking', 'test/jobs/ingest/write'),
    quick('test/jobs/ingest/parquet', 'test/jobs/ingest/command'),
  ],
  'jobs/weekly': [
    quick('test/golden.test.ts', 'test/jobs/weekly/history/reduce'),
    quick('test/jobs/weekly/completeness', 'test/jobs/weekly/measurement', 'test/jobs/weekly/clock'),
    quick('test/jobs/weekly/weekly.test.ts', 'test/jobs/weekly/history/future-runs', 'test/reference'),
    quick('test/jobs/weekly/unpublished', 'test/jobs/weekly/own-runs', 'test/jobs/lake'),
    long('test/jobs/weekly/command', 'test/jobs/schedule/outcomes'),
  ],
  'jobs/remove': [quick('test/jobs/remove'), long('test/jobs/remove')],
};
