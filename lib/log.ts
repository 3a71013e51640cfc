import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type { DestinationStream, Logger };

/** Writes a JSON object a line, from `level` up (as LOG_LEVEL). */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null }, destination);
}

/** Standard output; nothing is lost when the process exits. */
export function stdoutDestination(): DestinationStream {
  return pino.destination({ dest: 1, sync: true });
}

/**
 * Standard output, collected and written off the caller's path. A reader that stalls costs 16 MB at most, then lines
 * are dropped.
 */
export function collectedStdoutDestination(): DestinationStream & { flush(callback: () => void): void } {
  return pino.destination({
    dest: 1,
    sync: false,
    minLength: 32_768,
    maxWrite: 65_536,
    maxLength: 16 * 1024 * 1024,
    periodicFlush: 200,
  });
}
