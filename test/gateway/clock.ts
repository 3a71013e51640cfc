/** A clock that stands still until it is set. */
export interface ManualClock {
  now(): number;
  set(instant: string | number): void;
}

export function manualClock(instant: string | number): ManualClock {
  let now = msOf(instant);
  return {
    now: () => now,
    set: (value) => {
      now = msOf(value);
    },
  };
}

function msOf(instant: string | number): number {
  return typeof instant === 'number' ? instant : Date.parse(instant);
}
