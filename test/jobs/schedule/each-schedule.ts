import { afterEach, beforeEach } from 'vitest';
import type { ScheduleOptions } from '../../../jobs/schedule/schedule.ts';
import { systemClock } from '../../../lib/clock.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { workspaceIds } from '../../snapshots/history.ts';
import { publishWeek, testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { fakeTime } from '../../support/fake-time.ts';
import type { FakeTime } from '../../support/fake-time.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { startScheduler } from './scheduler.ts';
import type { Scheduler, Work } from './scheduler.ts';

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
