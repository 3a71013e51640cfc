import { InvalidArgumentError } from 'commander';

/** A whole number on a command line, at least 1. */
export function whole(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number, at least 1.');
  return Number(text);
}
