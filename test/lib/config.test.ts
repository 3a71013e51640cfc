import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, settingsGiven } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';

const locations = ['./a b/c', 'file:data', 'file:///data', 's3://bucket', 's3://my.bucket-1/a/b/'].concat([
  'file:',
  'file://host/data',
  's3:bucket',
  's3://',
  's3://Bucket',
  's3://my_bucket',
  'gs://bucket',
  'http://host/x',
]);

/** Texts around both ends of a range of whole numbers. */
const whole = (least: number, most: number) =>
  [least - 1, least, most, most + 1].map(String).concat(`${most}.5`, ' 1', '1e1', 'many');

/** Every setting that is not any text. The test of docs/settings.md knows the defaults. */
const texts: Record<string, string[]> = {
  PORT: whole(0, 65_535),
  PUBLIC_URL: ['https://api.example/', 'http://127.0.0.1:8080/sightline/', 'http://[::1]:80//'].concat([
    'api.example',
    'ftp://api.example',
    'https://api.example/?a',
    'https://api.example/#a',
    'https://u:p@api.example',
  ]),
  STORE_URL: locations,
  LAKE_URL: locations,
  RECORDS_URL: [
    'sqlite:records.db',
    'sqlite:///data/records.db',
    'postgres://u:p@host:5432/db',
    'postgresql://host/db',
    'records.db',
    'sqlite:',
    'sqlite://host/records.db',
    'mysql://host/db',
    'postgres://host:port/db',
  ],
  S3_ENDPOINT: ['http://127.0.0.1:9000', '127.0.0.1:9000', 'ftp://host', 'http://'],
  S3_FORCE_PATH_STYLE: ['true', 'false', 'yes', '1', 'TRUE'],
  S3_TIMEOUT_SECONDS: whole(1, 600),
  AWS_MAX_ATTEMPTS: whole(1, 20),
  STORE_REFRESH_SECONDS: whole(1, 3600),
  DOCUMENT_CACHE_BYTES: whole(1_000_000, 1_000_000_000_000),
  LOG_ORIGIN: ['api.example.com/log', 'two words', 'a+b', 'x'.repeat(200), 'x'.repeat(201)],
  METRICS_PORT: whole(0, 65_535),
  DRAIN_SECONDS: whole(0, 600),
  SHUTDOWN_SECONDS: whole(0, 600),
  JOB_COMPLETION_INDEX: whole(0, 999_999),
  AWS_BATCH_JOB_ARRAY_INDEX: whole(0, 999_999),
  BACKUP_URL: locations,
  KEEP_DROPS_DAYS: whole(1, 36_500),
  LOG_LEVEL: ['debug', 'silent', 'INFO', 'verbose', '3'],
};

function read(environment: Record<string, string>): Record<string, unknown> | string {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

test('every setting is parsed, or named without its value, as in golden/settings.txt', async () => {
  const lines = Object.entries(texts).flatMap(([name, values]) =>
    ['', ...values].map((text) => {
      const found = read({ [name]: text });
      return `${name}=${text} → ${typeof found === 'string' ? found : (JSON.stringify(found[name]) ?? 'not set')}`;
    }),
  );
  const many = { PORT: 'x', RECORDS_URL: 'postgres://user:secret@host:port/db', LOG_LEVEL: 'x' };
  const all = [
    `all of these → ${read(many) as string}`,
    `given: ${settingsGiven({ ...many, HOST: '' }).join()}`,
  ];
  const page = `${[...lines, ...all].join('\n')}\n`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, 'golden/settings.txt'));
});
