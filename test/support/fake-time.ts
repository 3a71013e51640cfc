import type { Clock, Timer } from '../../lib/clock.ts';

/** A clock that advances only when a test does it. */
export interface FakeTime extends Clock, Timer {
  /** Advances by this number of milliseconds, and resolves waits that are over. */
  pass(ms: number): void;
  /** The number of pending waits. */
  waiting(): number;
}

export function fakeTime(start: string): FakeTime {
  let now = Date.parse(start);
  let waiting: { until: number; signal: AbortSignal; wake: () => void }[] = [];
  const wakeAll = (signal: AbortSignal) => wakeWhere((waiter) => waiter.signal === signal);
  function wakeWhere(isOver: (waiter: (typeof waiting)[number]) => boolean): void {
    const over = waiting.filter(isOver);
    waiting = waiting.filter((waiter) => !isOver(waiter));
    for (const { wake } of over) wake();
  }
  return {
    now: () => now,
    async wait(ms, signal) {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        waiting.push({ until: now + ms, signal, wake: resolve });
        signal.addEventListener('abort', () => wakeAll(signal), { once: true });
      });
    },
    waiting: () => waiting.length,
    pass(ms) {
      now += ms;
      wakeWhere(({ until }) => until <= now);
    },
  };
}
