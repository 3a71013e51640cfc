import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { cronSchedule } from '../../../jobs/cron.ts';
import { journal } from '../../../jobs/schedule/journal.ts';
import type { Outcome } from '../../../jobs/schedule/run-due.ts';
import { keepSchedule } from '../../../jobs/schedule/schedule.ts';
import type { ScheduleOptions } from '../../../jobs/schedule/schedule.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import type { Timer } from '../../../lib/clock.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { fakeTime } from '../../support/fake-time.ts';
import type { FakeTime } from '../../support/fake-time.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

export const MINUTE = 60_000;
export const LEASE = MINUTE;
export const RETRY = 15 * MINUTE;

/** A weekly job; what it returns replaces parts of the usual report. */
export type Work = (options: WeeklyOptions) => Promise<Partial<WeeklyReport> | undefined>;

const report: WeeklyReport = {
  asOf: '',
  workspaces: 2,
  brands: 3,
  documents: 17,
  bytes: 1000,
  new: 2,
  unchanged: 0,
  newer: 0,
  deliveries: 0,
  refused: 4,
  futureRuns: 5,
  orphaned: { runs: 5, prompts: 0, competitors: 0, brands: 1 },
  completeness: {
    newestCycle: '2026-11-16',
    expected: 100,
    delivered: 99,
    percent: 99,
    workspaces: [],
    missing: [],
  },
  measurement: [],
  engineShifts: [],
  shard: null,
  snapshots: [],
  unpublished: [],
  keptStale: [],
};

/** A timer that wakes nobody but those who are told to stop. */
export const deaf: Timer = {
  async wait(_, signal) {
    if (!signal.aborted) await once(signal, 'abort');
  },
};

/** A log and a fake time for each test, and the schedulers that it starts, which end with it. */
export function eachSchedule() {
  let folder: string;
  let log: TestLog;
  let time: FakeTime;
  let schedulers: Scheduler[];
  const metricsFile = () => join(folder, 'a.prom');
  beforeEach(async () => {
    folder = await temporaryFolder();
    log = await testLog(folder);
    time = fakeTime('2026-11-18T12:00:00Z');
    schedulers = [];
  });
  afterEach(() => Promise.all(schedulers.map((scheduler) => scheduler.stop())));
  return {
    get log() {
      return log;
    },
    get time() {
      return time;
    },
    /** Starts a scheduler for Mondays at 06:00 UTC whose weekly job is this work, woken by fake time alone. */
    start(work: Work, given?: Partial<ScheduleOptions>): Scheduler {
      const scheduler = startScheduler(log, time, metricsFile(), work, given);
      schedulers.push(scheduler);
      return scheduler;
    },
    /** The metrics that the last attempt wrote. */
    metrics: async () => await readFile(metricsFile(), 'utf8'),
  };
}

type Scheduler = ReturnType<typeof startScheduler>;

/** `runs` are the as-of times that it computed for, in order. */
function startScheduler(
  { store, lake, origin, signer }: TestLog,
  time: FakeTime,
  metricsFile: string,
  work: Work,
  given?: Partial<ScheduleOptions>,
) {
  const stopping = new AbortController();
  const scheduler = { runs: [] as string[], outcomes: [] as Outcome[], log: [] as string[] };
  const write = (fields: object, message: string) =>
    void scheduler.log.push(JSON.stringify({ ...fields, message }));
  const tell = journal({ info: write, warn: write, error: write } as never, { path: metricsFile });
  const options: ScheduleOptions = {
    run: { lake, store, origin, signer, requireComplete: 95 },
    scope: 'all',
    cron: cronSchedule('0 6 * * 1', 'UTC'),
    leaseMs: LEASE,
    retryMs: RETRY,
    host: 'host',
    pid: 1,
    clock: time,
    timer: time,
    ...given,
    async weekly(run) {
      scheduler.runs.push(formatInstant(run.asOf));
      return { ...report, asOf: formatInstant(run.asOf), ...(await work(run)) };
    },
  };
  const onOutcome = async (outcome: Outcome) => {
    scheduler.outcomes.push(outcome);
    await tell(outcome);
  };
  const ended = keepSchedule(options, onOutcome, stopping.signal);
  const stop = async () => {
    stopping.abort(new Error('told to stop'));
    return await ended;
  };
  return { ...scheduler, stop };
}

export function kindsOf({ outcomes }: Scheduler): string[] {
  return outcomes.map(({ kind }) => kind);
}

/** Waits until so many attempts were made and the scheduler waits for the next. */
export async function untilAttempts(
  { time }: { time: FakeTime },
  attempts: number,
  { outcomes }: Scheduler,
): Promise<void> {
  await until(() => outcomes.length === attempts && time.waiting() === 1);
}
