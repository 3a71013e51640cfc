import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** Commands that some tests need and the Debian packages that bring them; `.ci/run` installs these. */
const packages = {
  chromium: 'chromium',
  curl: 'curl',
  'docker-compose': 'docker-compose',
  kubectl: 'kubernetes-client',
  mmdebstrap: 'mmdebstrap',
  go: 'golang-go golang-golang-x-mod-dev',
  nginx: 'nginx',
  nsenter: 'util-linux',
  openssl: 'openssl',
  promtool: 'prometheus',
  python3: 'python3',
  shellcheck: 'shellcheck',
  sqlite3: 'sqlite3',
  strace: 'strace',
  'systemd-analyze': 'systemd',
  'systemd-nspawn': 'systemd-container',
  wrk: 'wrk',
} as const;

export type Command = keyof typeof packages;

/**
 * `describe`, for tests that need commands of the machine. Where one is missing they are skipped, under a name that
 * says what to install and that the report repeats at its end.
 * @throws Error where `CI` is `true`: there, nothing may be missing.
 */
export function describeWith(commands: readonly Command[], name: string, body: () => void): void {
  const missing = missingOf(commands);
  const needed = [...new Set(missing.map((command) => packages[command]))].join(' ');
  describeUnlessMissing(missing, `apt-get install ${needed}`, name, body);
}

/** The same for whatever is missing, with the way to get it. */
export function describeUnlessMissing(
  missing: readonly string[],
  remedy: string,
  name: string,
  body: () => void,
): void {
  /* oxlint-disable vitest/no-conditional-tests, vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests -- they are the caller's */
  if (missing.length === 0) {
    describe(name, body);
    return;
  }
  const reason = `${missing.join(', ')} missing: ${remedy}`;
  if (process.env['CI'] === 'true') throw new Error(`${name} must run in CI (${reason})`);
  describe.skip(`${name} (${reason})`, body);
}

/** Those of the commands that are not on the PATH. */
export function missingOf<Name extends string>(commands: readonly Name[]): Name[] {
  return commands.filter((command) => !isInstalled(command));
}

function isInstalled(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
