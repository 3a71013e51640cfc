import { reasonOf } from '../../lib/failure.ts';
import { createLogger, stdoutDestination } from '../../lib/log.ts';
import type { DestinationStream, LogDestination, Logger } from '../../lib/log.ts';
import { accessLog } from './access-log.ts';
import type { LoggedEvents } from './observer.ts';

/** The log of the process on stdout: one JSON object per line. */
export interface GatewayLog extends Pick<Logger, 'info' | 'error'> {
  observer: LoggedEvents;
  /** The number of lines dropped so far. */
  droppedLines(): number;
  /** Writes the collected lines, waiting at most two seconds. Call it last. */
  close(): Promise<void>;
}

const LAST_FLUSH_MS = 2000;

/** `level`: as LOG_LEVEL. Each request is one line at info, without key, headers or client address. */
export function createLog(level: string, destination: LogDestination = stdoutDestination()): GatewayLog {
  const requests = accessLog((lines) => destination.write(lines));
  const inOrder: DestinationStream = {
    write(line) {
      requests.flush();
      destination.write(line);
    },
  };
  const log = createLogger(level, inOrder);
  return {
    info: log.info.bind(log),
    error: log.error.bind(log),
    observer: {
      ...(log.isLevelEnabled('info') && { answered: (request) => requests.answered(request) }),
      ...observerOf(log),
    },
    droppedLines: () => destination.droppedLines(),
    close: async () => {
      requests.flush();
      await destination.flush(LAST_FLUSH_MS);
    },
  };
}

function observerOf(log: Logger): Omit<LoggedEvents, 'answered'> {
  return {
    requestFailed: (requestId, error) =>
      log.error({ requestId, reason: reasonOf(error) }, 'request failed with an internal error'),
    admissionFailed: onceASecond((error, omitted) =>
      log.error({ reason: reasonOf(error), omitted }, 'the records did not respond'),
    ),
    connectionRefused: onceASecond((reason, omitted) =>
      log.error({ reason, omitted }, 'a connection was refused'),
    ),
    snapshotKept: (workspaceId, reason) =>
      log.error(
        { workspaceId, reason: reasonOf(reason) },
        'newer snapshot cannot be read, serving the last good one',
      ),
    snapshotChanged: (workspaceId, snapshotId) => log.info({ workspaceId, snapshotId }, 'snapshot changed'),
  };
}

const SECOND_MS = 1000;

/**
 * Calls `write` at most once a second, so that a flood of refusals does not flood the log.
 * `omitted`: the number of calls since the last line that were not written.
 */
function onceASecond<Detail>(write: (detail: Detail, omitted: number) => void): (detail: Detail) => void {
  let next = -Infinity;
  let omitted = 0;
  return (detail) => {
    const time = performance.now();
    if (time < next) {
      omitted += 1;
      return;
    }
    next = time + SECOND_MS;
    write(detail, omitted);
    omitted = 0;
  };
}
