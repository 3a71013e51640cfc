import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { ScheduleOptions } from '../../../jobs/schedule/schedule.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { publishWeek, workspaceIds } from '../../snapshots/history.ts';
import { fakeTime } from '../../support/fake-time.ts';
import type { FakeTime } from '../../support/fake-time.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { startScheduler } from './scheduler.ts';
import type { Scheduler, Work } from './scheduler.ts';

/** A store and a fake time for each test, and the schedulers that it has started. */
export interface EachSchedule {
  folder: string;
  store: ObjectStore;
  time: FakeTime;
  /** They are stopped when the test is over. */
  schedulers: Scheduler[];
}

/** What it returns is filled when a test begins. */
export function eachSchedule(): EachSchedule {
  const each = {} as EachSchedule;
  beforeEach(async () => {
    each.folder = await temporaryFolder();
    each.store = directoryStore(join(each.folder, 'store'));
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
  await publishWeek(run.store, workspaceId, formatInstant(run.asOf).slice(0, 10));
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
