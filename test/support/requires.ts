import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** Commands that some tests need and the Debian packages that bring them; `.ci/run` installs these. */
const packages = {
  chromium: 'chromium',
  curl: 'curl',
  'docker-compose': 'docker-compose',
  kubectl: 'kubernetes-client',
  go: 'golang-go golang-golang-x-mod-dev',
  nginx: 'nginx',
  openssl: 'openssl',
  pg_dump: 'postgresql',
  promtool: 'prometheus',
  python3: 'python3',
  rclone: 'rclone',
  script: 'bsdutils',
  shellcheck: 'shellcheck',
  strace: 'strace',
} as const;

type Command = keyof typeof packages;

/**
 * `describe` for tests of `npm run test:all` that need commands of the machine. If one is missing they are skipped,
 * under a name that says what to install, which the report repeats at its end. In CI a skipped test fails the run.
 */
export function describeWith(commands: readonly Command[], name: string, body: () => void): void {
  const missing = missingOf(commands);
  const needed = [...new Set(missing.map((command) => packages[command]))].join(' ');
  describeUnlessMissing(missing, `apt-get install ${needed}`, name, body);
}

/** As {@link describeWith}, with the reason for skipping, which says how to install what is missing. */
export function describeUnlessMissing(
  missing: readonly string[],
  remedy: string,
  name: string,
  body: () => void,
): void {
  /* oxlint-disable vitest/no-conditional-tests, vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests -- they are the caller's */
  if (missing.length === 0) {
    describe(name, { tags: ['machine'] }, body);
    return;
  }
  const reason = `${missing.join(', ')} missing: ${remedy}`;
  describe.skip(`${name} (${reason})`, { tags: ['machine'] }, body);
}

/** Those of the commands that are not on the PATH. */
export function missingOf<Name extends string>(commands: readonly Name[]): Name[] {
  return commands.filter((command) => findCommand(command) === undefined);
}

/** The path of a command on the PATH. @throws Error if it is missing. */
export function pathOf(command: Command): string {
  const path = findCommand(command);
  if (path === undefined) throw new Error(`${command} is not on the PATH`);
  return path;
}

function findCommand(command: string): string | undefined {
  const paths = process.env['PATH']!.split(delimiter).map((folder) => join(folder, command));
  return paths.find((path) => existsSync(path));
}
