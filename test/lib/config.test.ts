import { describe, expect, test } from 'vitest';
import { readConfig } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import { settings } from './config-cases.ts';

describe.each(Object.entries(settings))('%s', (name, { usual, good, bad }) => {
  const read = (environment: Record<string, string>) =>
    (readConfig(environment) as Record<string, unknown>)[name];

  test('has its default if it is not set or empty', () => {
    expect(read({})).toEqual(usual);
    expect(read({ [name]: '' })).toEqual(usual);
  });

  test('is parsed as documented', () => {
    for (const [text, value] of good) expect(read({ [name]: text })).toEqual(value);
  });

  test('with an invalid value is named, and the value is not shown', () => {
    const messages = bad.map((text) => failureOf({ [name]: text }).message);
    for (const message of messages) {
      expect(message).toContain(`${name}: expected`);
      expect(message).toBe(messages[0]); // for every value
    }
  });
});

test('every setting is tested', () => {
  const all = readConfig(
    Object.fromEntries(Object.entries(settings).map(([name, { good }]) => [name, good[0]![0]])),
  );
  expect(Object.keys(all).toSorted()).toEqual(Object.keys(settings).toSorted());
});

test('all invalid settings are named in one line, without secrets', () => {
  const { message } = failureOf({
    PORT: 'x',
    RECORDS_URL: 'postgres://user:secret@host:port/db',
    LOG_LEVEL: 'x',
  });
  for (const name of ['PORT', 'RECORDS_URL', 'LOG_LEVEL']) expect(message).toContain(name);
  expect(message).not.toMatch(/secret|\n/);
});

test('other variables of the environment are ignored', () => {
  expect(readConfig({ PATH: '/bin', store_url: 'gs://x' })).toEqual(readConfig({}));
});

function failureOf(environment: Record<string, string>): Failure {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(environment)} was read`);
}
