import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** Commands that some tests need and the Debian packages that bring them; `.ci/run` installs these. */
const packages = {
  radosgw: 'radosgw',
  'radosgw-admin': 'radosgw',
  'ceph-mon': 'ceph-mon',
  monmaptool: 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  ceph: 'ceph-common',
  chromium: 'chromium',
  nginx: 'nginx-light',
  wrk: 'wrk',
} as const;

export type Command = keyof typeof packages;

/** What a whole S3 server needs. */
export const s3Server: readonly Command[] = [
  'radosgw',
  'radosgw-admin',
  'ceph-mon',
  'monmaptool',
  'ceph-osd',
  'ceph',
];

/**
 * `describe`, for tests that need commands of the machine. Where one is missing they are skipped, under a name that
 * says what to install and that the report repeats at its end.
 * @throws Error where `CI` is `true`: there, nothing may be missing.
 */
export function describeWith(commands: readonly Command[], name: string, body: () => void): void {
  /* oxlint-disable vitest/no-conditional-tests, vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests -- they are the caller's */
  const missing = commands.filter((command) => !isInstalled(command));
  if (missing.length === 0) {
    describe(name, body);
    return;
  }
  const needed = [...new Set(missing.map((command) => packages[command]))].join(' ');
  const reason = `${missing.join(', ')} missing: apt-get install ${needed}`;
  if (process.env['CI'] === 'true') throw new Error(`${name} must run in CI (${reason})`);
  describe.skip(`${name} (${reason})`, body);
}

/** True where the command is on the path. */
export function isInstalled(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
