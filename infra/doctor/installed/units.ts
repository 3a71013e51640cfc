import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../lib/config.ts';
import { failure, ok, skipped } from '../finding.ts';
import type { Finding } from '../finding.ts';
import type { Installed } from './place.ts';
import type { Run } from './run.ts';

/** A night that failed, and a day to notice it. */
const OLD_HOURS = 48;
const HOUR_MS = 3_600_000;

/** Units that have failed, or failed and wait for their next attempt; not the one that runs the doctor. */
export async function examineUnits(run: Run): Promise<Finding> {
  const subject = 'units';
  const states = '--state=failed,auto-restart';
  const list = ['list-units', states, '--plain', '--no-legend', '--no-pager', '--full', 'sightline-*'];
  const { status, stdout, stderr } = await run('systemctl', list);
  if (status !== 0) return skipped(subject, `systemctl does not list them: ${stderr.trim()}`);
  const names = stdout.split('\n').map((line) => line.trim().split(' ')[0]!);
  const failed = names.filter((name) => name !== '' && name !== 'sightline-doctor.service');
  if (failed.length === 0) return ok(subject, 'none has failed');
  const remedy = `journalctl --unit ${failed[0]!} says why (docs/runbook.md, SightlineUnitFailed)`;
  return failure(subject, `failed: ${failed.join(', ')}`, remedy);
}

interface Nightly {
  subject: string;
  unit: string;
  /** What is wrong if it never succeeded. */
  never: string;
  remedy: string;
}

/** The time of the last success of a unit, which infra/write-unit-metrics keeps; null if there was none. */
export async function lastSuccess({ state }: Installed, unit: string): Promise<Date | null> {
  const text = await readFile(join(state, 'metrics', `${unit}-unit.prom`), 'utf8').catch(() => '');
  const [, seconds] = /^sightline_unit_last_success_timestamp_seconds\{.*\} (\d+)$/m.exec(text) ?? [];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000);
}

/**
 * Have the backup, the copy and the verification succeeded, and in the last two days? A unit whose timer the operator
 * has disabled is skipped: another program, or another machine, does its work.
 */
export async function examineNights(
  installed: Installed,
  { BACKUP_URL }: Pick<Config, 'BACKUP_URL'>,
  now: number,
  run: Run,
): Promise<Finding[]> {
  const nights = [ofRecords, ofCopy];
  const { state } = installed;
  // As the unit itself: before the first week there is nothing to verify.
  const published = ['verify/checkpoint', 'metrics/sightline-weekly.prom'];
  if (published.some((path) => existsSync(join(state, path)))) nights.push(ofVerify);
  return await Promise.all(
    nights.map(async (night) => {
      const { stdout } = await run('systemctl', ['is-enabled', `${night.unit}.timer`]);
      if (stdout.trim() === 'disabled') return skipped(night.subject, `${night.unit}.timer is disabled`);
      if (night === ofCopy && BACKUP_URL === undefined) return withoutBackupUrl;
      return judgeNight(night, await lastSuccess(installed, night.unit), now);
    }),
  );
}

const start = (unit: string) => `"systemctl restart ${unit}", then "journalctl --unit ${unit}"`;

const ofRecords: Nightly = {
  subject: 'backup: records',
  unit: 'sightline-backup',
  never: 'the records were never backed up: their keys cannot be computed again',
  remedy: start('sightline-backup'),
};

const ofCopy: Nightly = {
  subject: 'backup: copy',
  unit: 'sightline-copy',
  never: 'nothing was ever copied to BACKUP_URL',
  remedy: start('sightline-copy'),
};

const withoutBackupUrl = failure(
  ofCopy.subject,
  'BACKUP_URL is not set: if this disk is lost, so is everything',
  'set it in job.env (docs/first-monday.md); if another program copies everything, "systemctl disable --now sightline-copy.timer"',
);

const ofVerify: Nightly = {
  subject: 'verification',
  unit: 'sightline-verify',
  never: 'the store was never verified',
  remedy: start('sightline-verify'),
};

function judgeNight({ subject, never, remedy }: Nightly, last: Date | null, now: number): Finding {
  if (last === null) return failure(subject, never, remedy);
  const hours = (now - last.getTime()) / HOUR_MS;
  const found = `the last success was at ${last.toISOString()}`;
  if (hours <= OLD_HOURS) return ok(subject, found);
  return failure(subject, `${found}, more than ${OLD_HOURS} hours ago`, remedy);
}
