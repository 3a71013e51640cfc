import { expect } from 'vitest';
import { SightlineError } from '../../../clients/typescript/src/index.ts';

/** The error that a method throws. */
export async function thrownBy(work: Promise<unknown>): Promise<SightlineError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SightlineError);
  return error as SightlineError;
}
