import { onTestFinished, vi } from 'vitest';

type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** A clock that advances only while the client waits, and then at once. `Date` in this process follows it. */
export interface Minutes {
  /** Milliseconds since the start. */
  passed(): number;
  /** Schedules an action at this time. */
  after(ms: number, action: () => Promise<unknown>): void;
  /** Each wait of the client, in milliseconds. */
  waits: readonly number[];
}

let pass: ((ms: number) => Promise<void>) | null = null;

/** The client's wait, for vi.mock: itself, as long as no minutes are started. */
export const passing =
  (real: Wait): Wait =>
  (ms, signal) =>
    pass === null ? real(ms, signal) : pass(ms);

/** From the beginning of a minute, until the test ends. */
export function startMinutes(): Minutes {
  const start = Date.parse('2026-11-23T06:30:00Z');
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  const waits: number[] = [];
  const actions: { at: number; action: () => Promise<unknown> }[] = [];
  pass = async (ms) => {
    waits.push(ms);
    const end = Date.now() + ms;
    vi.setSystemTime(end);
    for (const due of actions.filter(({ at }) => at <= end)) {
      actions.splice(actions.indexOf(due), 1);
      await due.action();
    }
  };
  onTestFinished(() => {
    vi.useRealTimers();
    pass = null;
  });
  return {
    waits,
    passed: () => Date.now() - start,
    after: (ms, action) => void actions.push({ at: Date.now() + ms, action }),
  };
}
