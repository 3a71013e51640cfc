import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { cronSchedule } from '../../../jobs/cron.ts';
import { journal } from '../../../jobs/schedule/journal.ts';
import type { Outcome } from '../../../jobs/schedule/run-due.ts';
import { keepSchedule } from '../../../jobs/schedule/schedule.ts';
import type { ScheduleOptions } from '../../../jobs/schedule/schedule.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Timer } from '../../../lib/clock.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { workspaceIds } from '../../snapshots/history.ts';
import { publishWeek, testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { fakeTime } from '../../support/fake-time.ts';
import type { FakeTime } from '../../support/fake-time.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

export const MINUTE = 60_000;
export const LEASE = MINUTE;
export const RETRY = 15 * MINUTE;

export interface Scheduler {
  /** The as-of times that it computed for, in order. */
  runs: string[];
  outcomes: Outcome[];
  log: string[];
  stop(): Promise<number | null>;
}

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

/** A scheduler for Mondays at 06:00 UTC whose weekly job is this work, woken by fake time alone. */
function startScheduler(
  { log: { store, lake, origin, signer }, time, folder }: { log: TestLog; time: FakeTime; folder: string },
  work: Work,
  given: Partial<ScheduleOptions>,
): Scheduler {
  const stopping = new AbortController();
  const scheduler = { runs: [] as string[], outcomes: [] as Outcome[], log: [] as string[] };
  const write = (fields: object, message: string) =>
    void scheduler.log.push(JSON.stringify({ ...fields, message }));
  const log = { info: write, warn: write, error: write } as never;
  const tell = journal(log, { path: join(folder, 'a.prom') });
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

/** A log and a fake time for each test, and the schedulers that it has started. */
export interface EachSchedule {
  folder: string;
  log: TestLog;
  time: FakeTime;
  /** They are stopped when the test is over. */
  schedulers: Scheduler[];
}

/** What it returns is filled when a test begins. */
export function eachSchedule(): EachSchedule {
  const each = {} as EachSchedule;
  beforeEach(async () => {
    each.folder = await temporaryFolder();
    each.log = await testLog(each.folder);
    each.time = fakeTime('2026-11-18T12:00:00Z');
    each.schedulers = [];
  });
  afterEach(() => Promise.all(each.schedulers.map((scheduler) => scheduler.stop())));
  return each;
}

export function startIn(each: EachSchedule, work: Work, given: Partial<ScheduleOptions> = {}): Scheduler {
  const scheduler = startScheduler(each, work, given);
  each.schedulers.push(scheduler);
  return scheduler;
}

export const [workspaceId] = workspaceIds;
export const publish: Work = async (run) => {
  await publishWeek({ ...run, clock: systemClock }, workspaceId, formatInstant(run.asOf).slice(0, 10));
  return undefined;
};

export function kindsOf({ outcomes }: Scheduler): string[] {
  return outcomes.map(({ kind }) => kind);
}

/** Waits until so many attempts were made and the scheduler waits for the next. */
export async function untilAttempts(
  each: EachSchedule,
  attempts: number,
  { outcomes }: Scheduler,
): Promise<void> {
  await until(() => outcomes.length === attempts && each.time.waiting() === 1);
}
