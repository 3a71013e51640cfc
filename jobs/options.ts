import { InvalidArgumentError, Option } from 'commander';
import { complaintAboutCron, isTimeZone } from './cron.ts';
import { parseStoreLocation, readConfig } from '../lib/config.ts';
import type { StoreLocation } from '../lib/config.ts';
import { parseInstant } from '../lib/methodology/instant.ts';
import type { Micros } from '../lib/methodology/instant.ts';

/** `--lake`; the default is `LAKE_URL`. */
export function lakeOption(): Option {
  return locationOption('lake', 'the lake');
}

/** `--store`; the default is `STORE_URL`. */
export function storeOption(): Option {
  return locationOption('store', 'the snapshot store');
}

function locationOption(name: 'lake' | 'store', meaning: string): Option {
  const setting = name === 'lake' ? 'LAKE_URL' : 'STORE_URL';
  return new Option(`--${name} <location>`, `${meaning}: a path, file:PATH or s3://bucket/prefix`)
    .argParser((text: string): StoreLocation => {
      const location = parseStoreLocation(text);
      if (location !== null) return location;
      throw new InvalidArgumentError('expected a path, file:PATH or s3://bucket/prefix.');
    })
    .default(readConfig()[setting], `${setting} or .data/${name}`);
}

/** `--as-of`, in microseconds. */
export function asOfOption(): Option {
  return new Option(
    '--as-of <instant>',
    'an instant with its offset, such as 2026-11-16T06:00:00Z (default: now)',
  ).argParser((text: string): Micros => {
    const instant = parseInstant(text);
    if (instant === null) throw new InvalidArgumentError('expected an instant like 2026-11-16T06:00:00Z.');
    return instant;
  });
}

/** `--timezone`, for the option that takes a cron expression. */
export function timezoneOption(): Option {
  return new Option('--timezone <name>', 'the time zone of the cron expression')
    .argParser((text: string): string => {
      if (!isTimeZone(text)) throw new InvalidArgumentError('expected a time zone like Europe/Berlin.');
      return text;
    })
    .default('UTC');
}

/** Checks a cron expression. */
export function readCron(text: string): string {
  const complaint = complaintAboutCron(text);
  if (complaint !== null) throw new InvalidArgumentError(`${complaint}.`);
  return text;
}

/** Reads a percentage with up to two decimals. */
export function readPercent(text: string): number {
  if (!/^\d{1,3}(\.\d{1,2})?$/.test(text) || Number(text) > 100)
    throw new InvalidArgumentError('expected a percentage from 0 to 100, with up to two decimals.');
  return Number(text);
}

/** A reader of whole numbers from `low` to `high`. */
export function wholeNumber(low: number, high = 999_999_999) {
  return (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < low || Number(text) > high) {
      throw new InvalidArgumentError(`expected a whole number from ${low} to ${high}.`);
    }
    return Number(text);
  };
}
