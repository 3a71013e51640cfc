import type { readConfig } from '../../lib/config.ts';

interface Setting {
  /** The value if it is not set. */
  usual: unknown;
  /** Texts that parse, and their values. */
  good: [string, unknown][];
  bad: string[];
}

const directory = (path: string) => ({ kind: 'directory', path });
const location: Pick<Setting, 'good' | 'bad'> = {
  good: [
    ['data', directory('data')],
    ['./a b/c', directory('./a b/c')],
    ['/data', directory('/data')],
    ['file:data', directory('data')],
    ['file:/data', directory('/data')],
    ['file:///data', directory('/data')],
    ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '', url: 's3://bucket' }],
    [
      's3://my.bucket-1/a/b/',
      { kind: 's3', bucket: 'my.bucket-1', prefix: 'a/b', url: 's3://my.bucket-1/a/b/' },
    ],
  ],
  bad: [
    'file:',
    'file://',
    'file://host/data',
    's3:bucket',
    's3://',
    's3://b',
    's3://Bucket',
    's3://a_b',
    'gs://bucket',
    'http://host/x',
  ],
};

/** Every setting, with the defaults of docs/settings.md. */
export const settings: Record<keyof ReturnType<typeof readConfig>, Setting> = {
  HOST: {
    usual: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
    ],
    bad: [],
  },
  PORT: {
    usual: 8080,
    good: [
      ['0', 0],
      ['65535', 65535],
    ],
    bad: ['65536', '-1', '80a', '8080.0', '1e3', ' 80'],
  },
  PUBLIC_URL: {
    usual: undefined,
    good: [
      ['https://api.example', 'https://api.example'],
      ['https://api.example/', 'https://api.example'],
      ['http://127.0.0.1:8080/sightline/', 'http://127.0.0.1:8080/sightline'],
    ],
    bad: [
      'api.example',
      'ftp://api.example',
      'https://',
      'https://api.example/?a',
      'https://u:p@api.example',
    ],
  },
  STORE_URL: { usual: directory('.data/store'), ...location },
  LAKE_URL: { usual: directory('.data/lake'), ...location },
  LAKE_CACHE: { usual: undefined, good: [['/var/cache/lake', '/var/cache/lake']], bad: [] },
  RECORDS_URL: {
    usual: { kind: 'sqlite', path: '.data/records.db' },
    good: [
      ['sqlite:records.db', { kind: 'sqlite', path: 'records.db' }],
      ['sqlite:/data/records.db', { kind: 'sqlite', path: '/data/records.db' }],
      ['sqlite:///data/records.db', { kind: 'sqlite', path: '/data/records.db' }],
      ['postgres://u:p@host:5432/db', { kind: 'postgres', url: 'postgres://u:p@host:5432/db' }],
      ['postgresql://host/db', { kind: 'postgres', url: 'postgresql://host/db' }],
    ],
    bad: [
      'records.db',
      'sqlite:',
      'sqlite://host/records.db',
      'mysql://host/db',
      'postgres:host',
      'postgres://host:port/db',
    ],
  },
  S3_ENDPOINT: {
    usual: undefined,
    good: [
      ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
      ['https://s3.example', 'https://s3.example'],
    ],
    bad: ['127.0.0.1:9000', 'ftp://host', 'http://'],
  },
  S3_FORCE_PATH_STYLE: {
    usual: false,
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', '1', 'TRUE'],
  },
  S3_TIMEOUT_SECONDS: {
    usual: 30,
    good: [
      ['1', 1],
      ['600', 600],
    ],
    bad: ['0', '601', 'soon'],
  },
  AWS_MAX_ATTEMPTS: {
    usual: 8,
    good: [
      ['1', 1],
      ['20', 20],
    ],
    bad: ['0', '21', 'many'],
  },
  STORE_REFRESH_SECONDS: {
    usual: 3,
    good: [
      ['1', 1],
      ['3600', 3600],
    ],
    bad: ['0', '3601', '0.5'],
  },
  DOCUMENT_CACHE_BYTES: {
    usual: 64 * 1024 * 1024,
    good: [
      ['1000000', 1_000_000],
      ['1000000000000', 1_000_000_000_000],
    ],
    bad: ['999999', '64MB', '1000000000001'],
  },
  SIGNING_KEY_FILE: { usual: undefined, good: [['key.pem', 'key.pem']], bad: [] },
  SIGNING_KEY: { usual: undefined, good: [['PEM', 'PEM']], bad: [] },
  LOG_ORIGIN: {
    usual: undefined,
    good: [['api.example.com/log', 'api.example.com/log']],
    bad: ['two words', 'a+b'],
  },
  PUBLIC_KEY: { usual: undefined, good: [['PEM', 'PEM']], bad: [] },
  PUBLIC_KEY_FILE: { usual: undefined, good: [['key.pem', 'key.pem']], bad: [] },
  METRICS_HOST: { usual: '127.0.0.1', good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  METRICS_PORT: {
    usual: undefined,
    good: [
      ['0', 0],
      ['9464', 9464],
    ],
    bad: ['65536', 'none'],
  },
  DRAIN_SECONDS: {
    usual: undefined,
    good: [
      ['0', 0],
      ['600', 600],
    ],
    bad: ['601', '-1', '1.5'],
  },
  SHUTDOWN_SECONDS: {
    usual: 10,
    good: [
      ['0', 0],
      ['600', 600],
    ],
    bad: ['601', 'never'],
  },
  JOB_COMPLETION_INDEX: {
    usual: undefined,
    good: [
      ['0', 0],
      ['12', 12],
    ],
    bad: ['-1', '1000000', 'first'],
  },
  AWS_BATCH_JOB_ARRAY_INDEX: {
    usual: undefined,
    good: [
      ['0', 0],
      ['12', 12],
    ],
    bad: ['-1', '1000000', 'first'],
  },
  XDG_STATE_HOME: { usual: undefined, good: [['/srv/state', '/srv/state']], bad: [] },
  BACKUP_URL: {
    usual: undefined,
    good: [
      ['/mnt/copies', { kind: 'directory', path: '/mnt/copies' }],
      ['s3://copies/a', { kind: 's3', bucket: 'copies', prefix: 'a', url: 's3://copies/a' }],
    ],
    bad: ['ftp://copies', 's3://'],
  },
  KEEP_DROPS_DAYS: {
    usual: 35,
    good: [
      ['1', 1],
      ['36500', 36_500],
    ],
    bad: ['0', '36501', 'a month'],
  },
  LOG_LEVEL: {
    usual: 'info',
    good: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    bad: ['INFO', 'verbose', '3'],
  },
};
