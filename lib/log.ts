import pTimeout from 'p-timeout';
import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type { DestinationStream, Logger };

/** Writes a JSON object a line, from `level` up (as LOG_LEVEL). */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, base: null }, destination);
}

/** Where log lines go. Writing never throws. */
export interface LogDestination {
  write(lines: string | Uint8Array): void;
  /** Lines that could not be written so far. */
  droppedLines(): number;
  /** Resolves once everything is written, or when the time is over. */
  flush(withinMs: number): Promise<void>;
}

/** The stream's part that a destination needs. */
export type LogStream = Pick<NodeJS.WriteStream, 'write' | 'writableLength' | 'removeAllListeners' | 'on'>;

/** What may wait for a reader that stalls; beyond it lines are dropped. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Standard output for a program that must go on without its log: lines that a full disk, a closed pipe or a reader
 * that stalls keeps from being written are dropped and counted, and writing goes on when it can.
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
