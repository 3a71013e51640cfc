import { reasonOf } from '../../lib/failure.ts';
import { createLogger, stdoutDestination } from '../../lib/log.ts';
import type { DestinationStream, LogDestination, Logger } from '../../lib/log.ts';
import { accessLog } from './access-log.ts';
import type { GatewayObserver } from './observer.ts';
import { onceASecond } from './once-a-second.ts';

/** The log of the process on stdout: one JSON object per line. */
export interface GatewayLog extends Pick<Logger, 'info' | 'error'> {
  observer: GatewayObserver;
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
    observer: observerOf(
      log,
      log.isLevelEnabled('info') ? (request) => requests.answered(request) : () => undefined,
    ),
    droppedLines: () => destination.droppedLines(),
    close: async () => {
      requests.flush();
      await destination.flush(LAST_FLUSH_MS);
    },
  };
}

function observerOf(log: Logger, answered: GatewayObserver['answered']): GatewayObserver {
  return {
    answered,
    storeRead: () => undefined,
    requestFailed: (requestId, error) =>
      log.error({ requestId, reason: reasonOf(error) }, 'request failed with an internal error'),
    batchAnswered: () => undefined,
    admissionFailed: onceASecond((error, omitted) =>
      log.error({ reason: reasonOf(error), omitted }, 'the records did not respond'),
    ),
    connectionRefused: onceASecond((reason, omitted) =>
      log.error({ reason, omitted }, 'a connection was refused'),
    ),
    cacheHit: () => undefined,
    cacheMiss: () => undefined,
    snapshotKept: (workspaceId, reason) =>
      log.error(
        { workspaceId, reason: reasonOf(reason) },
        'newer snapshot cannot be read, serving the last good one',
      ),
    snapshotChanged: (workspaceId, snapshotId) => log.info({ workspaceId, snapshotId }, 'snapshot changed'),
  };
}
