import { Failure } from '../failure.ts';

/** The error of {@link ObjectStore.get} if an object has more bytes than the caller expects at most. */
export function tooLarge(url: string, mostBytes: number): Failure {
  return new Failure(`${url} has more than ${mostBytes} bytes: it was altered`);
}
