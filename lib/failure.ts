import { z } from 'zod';

/**
 * A failure that a person can act on: one line that names the culprit (a file, a setting, an object).
 * Commands print the message and the details alone and exit with status 1; any other error is a defect and keeps its stack.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** What a person needs to mend it, one line each, if the message alone does not say it. */
  readonly details: readonly string[];

  constructor(
    message: string,
    { details = [], ...options }: ErrorOptions & { details?: readonly string[] } = {},
  ) {
    super(message, options);
    this.details = details;
  }
}

/** A setting is wrong, and nothing was touched. Commands exit with status 2, as after a wrong option. */
export class WrongSetting extends Failure {}

/**
 * The lake, the store or the records cannot be reached, or refuse access: nothing was decided, and the same command
 * may succeed later. Commands exit with status 3, also if it is only the `cause` of what was thrown.
 */
export class Unreachable extends Failure {}

/** Something was written by a newer version of this software: nothing was decided, and this one must be upgraded. */
export class NewerVersion extends Unreachable {
  /** @param what names what was found, such as `entry 7 of the log` @param unknown what this version does not know */
  constructor(what: string, unknown: string) {
    super(`${what} was written by a newer version of Sightline (${unknown}): upgrade this one`);
  }
}

/** True for an {@link Unreachable}, or an error that one of them caused. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof Unreachable || (thrown instanceof Error && isUnreachable(thrown.cause));
}

/** The exit status of a command that ended with this: 1 could not or refused, 2 wrong usage, 3 try again. */
export function exitStatusOf(thrown: unknown): 1 | 2 | 3 {
  if (thrown instanceof WrongSetting) return 2;
  return isUnreachable(thrown) ? 3 : 1;
}

/** The text of anything that was thrown, on one line, for use inside a {@link Failure}'s message. */
export function reasonOf(thrown: unknown): string {
  // Node throws it, without a message, if none of the addresses of a host name can be reached.
  if (thrown instanceof AggregateError && thrown.message === '') {
    return [...new Set(thrown.errors.map(reasonOf))].join('; ');
  }
  if (thrown instanceof z.ZodError) return thrown.issues.map(issueText).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** As {@link reasonOf}; a defect, which is neither a {@link Failure} nor of the operating system, keeps its stack. */
export function explain(thrown: unknown): string {
  return isDefect(thrown) ? thrown.stack! : reasonOf(thrown);
}

/** True for an error that nobody outside of the code can mend. */
export function isDefect(thrown: unknown): thrown is Error {
  return thrown instanceof Error && !(thrown instanceof Failure) && !isSystemError(thrown);
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/**
 * What work returns, or what `handle` makes of the {@link Failure} that it throws. Everything else that it throws is a
 * defect, and is thrown on.
 */
export async function handleFailure<T>(
  work: () => T | Promise<T>,
  handle: (failure: Failure) => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return await handle(error);
  }
}

/** As {@link handleFailure}, for what is there and wrong: if it cannot be reached, nothing was decided, and that is thrown on. */
export async function handleDamage<T>(
  work: () => T | Promise<T>,
  handle: (failure: Failure) => T | Promise<T>,
): Promise<T> {
  return await handleFailure(work, (failure) => {
    if (isUnreachable(failure)) throw failure;
    return handle(failure);
  });
}

/** What a reader makes of something; null if it throws. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** True for an error of the operating system, whose message names the call and the file, such as EACCES. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown;
}
