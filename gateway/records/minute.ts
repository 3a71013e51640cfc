const MINUTE_MS = 60_000;

/** The aligned wall-clock minute of an instant, counted in minutes since the Unix epoch. */
export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / MINUTE_MS);
}

/** Unix time in seconds when the minute ends (X-RateLimit-Reset). */
export function minuteEndsAt(minute: number): number {
  return (minute + 1) * 60;
}

/** Whole seconds until an instant, at least 1 (Retry-After). */
export function secondsUntil(unixSeconds: number, nowMs: number): number {
  return Math.max(1, Math.ceil(unixSeconds - nowMs / 1000));
}
