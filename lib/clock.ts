import { setTimeout as sleep } from 'node:timers/promises';

/** Where "now" comes from. Everything that needs the time takes a clock, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Waits. Everything that waits takes a timer, so that tests can replace it. */
export interface Timer {
  /** Resolves after this many milliseconds, or as soon as the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemTimer: Timer = {
  wait: async (ms, signal) => await sleep(ms, undefined, { signal }).catch(() => undefined),
};
