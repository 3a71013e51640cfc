import { z } from 'zod';
import { Failure } from '../failure.ts';

/**
 * What was found of one thing. `warning`: it works, and an operator should look; `failure`: something does not work, or
 * will not; `skipped`: it could not or was not to be looked at.
 */
export const findingSchema = z.object({
  subject: z.string().min(1),
  state: z.enum(['ok', 'skipped', 'warning', 'failure']),
  found: z.string().min(1),
  /** What to do about it; null where nothing is to be done. */
  remedy: z.string().min(1).nullable(),
});

export type Finding = z.infer<typeof findingSchema>;

export function ok(subject: string, found: string): Finding {
  return { subject, state: 'ok', found, remedy: null };
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

/** What a look finds; where it ends in a {@link Failure}, that is what was found, and `remedy` what to do about it. */
export async function examine(
  subject: string,
  remedy: string,
  look: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [failure(subject, error.message, remedy)];
  }
}
