const SECOND_MS = 1000;

/**
 * Calls `write` at most once a second, so that a flood of refusals is no flood of log lines.
 * `omitted`: the calls since the last line that were not written. `now`: milliseconds.
 */
export function onceASecond<Detail>(
  write: (detail: Detail, omitted: number) => void,
  now: () => number = () => performance.now(),
): (detail: Detail) => void {
  let next = -Infinity;
  let omitted = 0;
  return (detail) => {
    const time = now();
    if (time < next) {
      omitted += 1;
      return;
    }
    next = time + SECOND_MS;
    write(detail, omitted);
    omitted = 0;
  };
}
