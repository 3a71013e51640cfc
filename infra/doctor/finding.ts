import { handleFailure, isUnreachable } from '../../lib/failure.ts';
import type { Failure } from '../../lib/failure.ts';
import { formats } from '../../lib/store/formats.ts';

/**
 * The result of one check. `warning`: it works, but an operator should look; `failure`: it does not work, or will stop
 * working; `skipped`: it was not checked.
 */
export interface Finding {
  subject: string;
  state: 'ok' | 'skipped' | 'warning' | 'failure';
  found: string;
  /** What to do about it; null if nothing. */
  remedy: string | null;
  /** Present on a failure if a part could not be reached: nothing is known about it. */
  isUnreachable?: true;
}

export function ok(subject: string, found: string): Finding {
  return { subject, state: 'ok', found, remedy: null };
}

/** What this version reads and writes of a part, so that an operator can compare it with another version's. */
export function formatOf(part: 'lake' | 'store'): Finding {
  return ok(`${part}: format`, `this version reads and writes ${formats[part]}`);
}

export function skipped(subject: string, found: string): Finding {
  return { subject, state: 'skipped', found, remedy: null };
}

export function warning(subject: string, found: string, remedy: string): Finding {
  return { subject, state: 'warning', found, remedy };
}

export function failure(subject: string, found: string, remedy: string): Finding {
  return { subject, state: 'failure', found, remedy };
}

/**
 * Runs a check. If `look` throws a {@link Failure}, its message becomes a finding of state `failure` with `remedy`, which
 * may depend on the failure.
 */
export async function examine(
  subject: string,
  remedy: string | ((thrown: Failure) => string),
  look: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  return await handleFailure(
    async () => [await look()].flat(),
    (thrown) => {
      const found = failure(subject, thrown.message, typeof remedy === 'string' ? remedy : remedy(thrown));
      return [isUnreachable(thrown) ? { ...found, isUnreachable: true } : found];
    },
  );
}
