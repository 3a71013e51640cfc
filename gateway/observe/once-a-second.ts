const SECOND_MS = 1000;

/**
 * Calls `write` at most once a second, so that a flood of refusals does not flood the log.
 * `omitted`: the number of calls since the last line that were not written. `now`: a clock in milliseconds.
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
