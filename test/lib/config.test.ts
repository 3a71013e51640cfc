import { describe, expect, test } from 'vitest';
import { readConfig } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';

interface Setting {
  /** Texts that parse, and their values. */
  good: [string, unknown][];
  bad: string[];
}

const directory = (path: string) => ({ kind: 'directory', path });
const location: Setting = {
  good: [
    ['./a b/c', directory('./a b/c')],
    ['file:data', directory('data')],
    ['file:///data', directory('/data')],
    ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '', url: 's3://bucket' }],
    [
      's3://my.bucket-1/a/b/',
      { kind: 's3', bucket: 'my.bucket-1', prefix: 'a/b', url: 's3://my.bucket-1/a/b/' },
    ],
  ],
  bad: ['file:', 'file://host/data', 's3:bucket', 's3://', 's3://Bucket', 'gs://bucket', 'http://host/x'],
};

/** A whole number between these two. */
const whole = (least: number, most: number): Setting => ({
  good: [least, most].map((number) => [String(number), number]),
  bad: [`${least - 1}`, `${most + 1}`, `${most}.5`, ' 1', '1e1', 'many'],
});

/** Every setting that is not any text. The test of docs/settings.md knows the defaults. */
const settings: Partial<Record<keyof ReturnType<typeof readConfig>, Setting>> = {
  PORT: whole(0, 65_535),
  PUBLIC_URL: {
    good: [
      ['https://api.example/', 'https://api.example'],
      ['http://127.0.0.1:8080/sightline/', 'http://127.0.0.1:8080/sightline'],
    ],
    bad: ['api.example', 'ftp://api.example', 'https://api.example/?a', 'https://u:p@api.example'],
  },
  STORE_URL: location,
  LAKE_URL: location,
  RECORDS_URL: {
    good: [
      ['sqlite:records.db', { kind: 'sqlite', path: 'records.db' }],
      ['sqlite:///data/records.db', { kind: 'sqlite', path: '/data/records.db' }],
      ['postgres://u:p@host:5432/db', { kind: 'postgres', url: 'postgres://u:p@host:5432/db' }],
      ['postgresql://host/db', { kind: 'postgres', url: 'postgresql://host/db' }],
    ],
    bad: ['records.db', 'sqlite:', 'sqlite://host/records.db', 'mysql://host/db', 'postgres://host:port/db'],
  },
  S3_ENDPOINT: {
    good: [['http://127.0.0.1:9000', 'http://127.0.0.1:9000']],
    bad: ['127.0.0.1:9000', 'ftp://host', 'http://'],
  },
  S3_FORCE_PATH_STYLE: {
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', '1', 'TRUE'],
  },
  S3_TIMEOUT_SECONDS: whole(1, 600),
  AWS_MAX_ATTEMPTS: whole(1, 20),
  STORE_REFRESH_SECONDS: whole(1, 3600),
  DOCUMENT_CACHE_BYTES: whole(1_000_000, 1_000_000_000_000),
  LOG_ORIGIN: {
    good: [['api.example.com/log', 'api.example.com/log']],
    bad: ['two words', 'a+b'],
  },
  METRICS_PORT: whole(0, 65_535),
  DRAIN_SECONDS: whole(0, 600),
  SHUTDOWN_SECONDS: whole(0, 600),
  JOB_COMPLETION_INDEX: whole(0, 999_999),
  AWS_BATCH_JOB_ARRAY_INDEX: whole(0, 999_999),
  BACKUP_URL: location,
  KEEP_DROPS_DAYS: whole(1, 36_500),
  LOG_LEVEL: {
    good: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    bad: ['INFO', 'verbose', '3'],
  },
};

describe.each(Object.entries(settings))('%s', (name, { good, bad }) => {
  const read = (environment: Record<string, string>) =>
    (readConfig(environment) as Record<string, unknown>)[name];

  test('is parsed as documented, is not set if it is empty, and is named without its value if that is invalid', () => {
    expect(read({ [name]: '' })).toEqual(read({}));
    for (const [value, parsed] of good) expect(read({ [name]: value })).toEqual(parsed);
    const messages = bad.map((value) => failureOf({ [name]: value }).message);
    for (const message of messages) {
      expect(message).toContain(`${name}: expected`);
      expect(message).toBe(messages[0]); // for every value
    }
  });
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

function failureOf(environment: Record<string, string>): Failure {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(environment)} was read`);
}
