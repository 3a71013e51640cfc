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

/** Where many lines go at once, as bytes. */
export interface ByteDestination {
  write(lines: Buffer): void;
  /** Calls back once everything has been written. */
  flush(callback: () => void): void;
}

/**
 * Standard output, collected and written off the caller's path. A reader that stalls costs 16 MB at most, then lines
 * are dropped.
 */
export function collectedStdoutDestination(): ByteDestination {
  const stdout = pino.destination({
    dest: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: 32_768,
    maxWrite: 131_072,
    maxLength: 16 * 1024 * 1024,
    periodicFlush: 200,
  });
  return stdout as unknown as ByteDestination; // pino's types know of text only
}
