import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { reasonOf } from '../lib/failure.ts';
import type { GatewayObserver } from './observer.ts';

export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Writes down what happens, without a key, a header or an address. */
export function logObserver(log: Logger): GatewayObserver {
  return {
    answered: (request) => {
      if (request.status >= 500) log.error(request, 'answered');
      else log.info(request, 'answered');
    },
    requestFailed: (requestId, error) => log.error({ requestId, reason: reasonOf(error) }, 'request failed'),
    batchAnswered: () => undefined,
    admissionFailed: (error) => log.error({ reason: reasonOf(error) }, 'the records could not be asked'),
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
