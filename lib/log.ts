import pTimeout from 'p-timeout';
import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type { DestinationStream, Logger };

/** Writes one JSON object per line, from `level` up (values as in LOG_LEVEL). */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null }, destination);
}

/** The destination of log lines. Writing never throws. */
export interface LogDestination {
  write(lines: string | Uint8Array): void;
  /** The number of lines dropped so far. */
  droppedLines(): number;
  /** Resolves when everything is written, or after `withinMs`. Never rejects. */
  flush(withinMs: number): Promise<void>;
}

/** The part of a stream that a destination needs. */
export type LogStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength' | 'removeAllListeners' | 'on'>;

/** Bytes that may wait for a slow reader; beyond this, lines are dropped. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Standard output for a program that must survive the loss of its log. Lines that cannot be written (full disk, closed
 * pipe, stalled reader) are dropped and counted; later lines are written again when possible.
 */
export function stdoutDestination(
  stream: LogStream = process.stdout,
  mostWaitingBytes = MOST_WAITING_BYTES,
): LogDestination {
  let dropped = 0;
  // Replaces the handler of commands (cli.ts), which ends the process when its reader is gone.
  stream.removeAllListeners('error').on('error', () => undefined);
  return {
    write(lines) {
      if (stream.writableLength > mostWaitingBytes) dropped += countLines(lines);
      else stream.write(lines, (error) => error && (dropped += countLines(lines)));
    },
    droppedLines: () => dropped,
    async flush(withinMs) {
      const written = new Promise<void>((resolve) => stream.write('', () => resolve()));
      await pTimeout(written, { milliseconds: withinMs, fallback: () => undefined });
    },
  };
}

function countLines(lines: string | Uint8Array): number {
  return Buffer.from(lines).filter((byte) => byte === NEWLINE).length;
}

const NEWLINE = 10;
