import { InvalidArgumentError, Option } from 'commander';
import { isUuid } from '../../../lib/uuid.ts';
import { isKeyPrefix, PREFIX_LENGTH } from '../../admission/keys.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../records.ts';

/** Strict parsers for the arguments of `npm run records --`. Each throws InvalidArgumentError. */

export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('expected a UUID.');
  return text.toLowerCase();
}

export function filled(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected some text.');
  return text.trim();
}

/** Requests per minute, or `plan`: the plan decides. */
export function allowance(text: string): number | 'plan' {
  if (text === 'plan') return text;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MOST_REQUESTS_PER_MINUTE) {
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_REQUESTS_PER_MINUTE}, or plan.`);
  }
  return value;
}

export function keyPrefix(text: string): string {
  if (isKeyPrefix(text)) return text;
  throw new InvalidArgumentError(
    `expected the first ${PREFIX_LENGTH} characters of a key: vis_ and ${PREFIX_LENGTH - 4} more.`,
  );
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}
