/** A clock that stands still until it is set. */
export function manualClock(instant: string): { now(): number; set(instant: string): void } {
  let now = Date.parse(instant);
  return {
    now: () => now,
    set: (value) => {
      now = Date.parse(value);
    },
  };
}
