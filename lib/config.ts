import { z } from 'zod';
import { WrongSetting } from './failure.ts';

/** Where objects are stored: a folder, or a prefix in an S3 bucket. */
export type StoreLocation =
  | { kind: 'directory'; path: string }
  | { kind: 's3'; bucket: string; prefix: string; url: string };

/** The database of workspaces and keys. */
export type RecordsLocation = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string };

/** Parses `STORE_URL` and `LAKE_URL`: a path, `file:PATH`, `file://PATH` or `s3://bucket/prefix`. Null if invalid. */
export function parseStoreLocation(text: string): StoreLocation | null {
  const s3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text);
  if (s3 !== null) {
    const prefix = (s3[2] ?? '').replace(/\/+$/, '');
    return { kind: 's3', bucket: s3[1]!, prefix, url: text };
  }
  if (/^file:\/\/(?!\/)/.test(text)) return null; // names another host, or nothing
  const path = text.replace(/^file:(\/\/)?/, '');
  return path === '' || /^[a-z][a-z0-9+.-]*:/i.test(path) ? null : { kind: 'directory', path };
}

/** Parses `RECORDS_URL`: `sqlite:PATH`, `postgres://…` or `postgresql://…`. Null if invalid. */
export function parseRecordsLocation(text: string): RecordsLocation | null {
  if (/^postgres(ql)?:\/\//.test(text)) return URL.canParse(text) ? { kind: 'postgres', url: text } : null;
  const path = /^sqlite:(?:\/\/(?=\/)|(?!\/\/))(.+)$/.exec(text)?.[1];
  return path === undefined ? null : { kind: 'sqlite', path };
}

/**
 * Parses `PUBLIC_URL`: an http(s) URL without credentials, query or fragment; trailing slashes are removed. Null if
 * invalid.
 */
export function parsePublicUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, username, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || username + search + hash !== '') return null;
  return `${protocol}//${host}${pathname}`.replace(/\/+$/, '');
}

function parsed<T>(parse: (text: string) => T | null, expected: string) {
  return z.string().transform((text, context) => {
    const value = parse(text);
    if (value === null) context.addIssue({ code: 'custom', message: `expected ${expected}` });
    return value as T;
  });
}

const storeLocation = parsed(parseStoreLocation, 'a path, file:PATH or s3://bucket/prefix');
const recordsLocation = parsed(parseRecordsLocation, 'sqlite:PATH or postgres://…');
const wholeNumber = (low: number, high: number) =>
  parsed(
    (text) => (/^\d{1,15}$/.test(text) && Number(text) >= low && Number(text) <= high ? Number(text) : null),
    `a whole number from ${low} to ${high}`,
  );
const isHttpUrl = (text: string) => /^https?:\/\//.test(text) && URL.canParse(text);
const yesOrNo = z.enum(['true', 'false'], { error: 'expected true or false' }).transform((t) => t === 'true');
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every setting with its parser and its default. docs/settings.md lists them; a test compares both. */
const settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65535).default(8080),
  /** The server address in `/openapi.json`; if absent, the address of each request. */
  PUBLIC_URL: parsed(parsePublicUrl, 'an http(s) URL without query or fragment').optional(),
  STORE_URL: storeLocation.default({ kind: 'directory', path: '.data/store' }),
  LAKE_URL: storeLocation.default({ kind: 'directory', path: '.data/lake' }),
  /** A folder where jobs keep the immutable objects of a lake in S3. */
  LAKE_CACHE: z.string().optional(),
  RECORDS_URL: recordsLocation.default({ kind: 'sqlite', path: '.data/records.db' }),
  S3_ENDPOINT: parsed((t) => (isHttpUrl(t) ? t : null), 'an http(s) URL').optional(),
  S3_FORCE_PATH_STYLE: yesOrNo.default(false),
  /** How long an S3 server may be silent before a request is repeated. */
  S3_TIMEOUT_SECONDS: wholeNumber(1, 600).default(30),
  /** Attempts of one S3 request; the SDK's default of 3 gives up within a fifth of a second. */
  AWS_MAX_ATTEMPTS: wholeNumber(1, 20).default(8),
  /** How often a gateway reads the log's checkpoint, to learn what was published. */
  STORE_REFRESH_SECONDS: wholeNumber(1, 3600).default(3),
  /** Memory for documents in the gateway, including their compressed forms. */
  DOCUMENT_CACHE_BYTES: wholeNumber(1_000_000, 1_000_000_000_000).default(64 * 1024 * 1024),
  /** The Ed25519 private key (PEM) that signs the log. For a folder, the first publication makes one in `.data/keys`. */
  SIGNING_KEY_FILE: z.string().optional(),
  /** The same key as text, for platforms that cannot mount a file; only one of the two may be set. */
  SIGNING_KEY: z.string().optional(),
  /** The Ed25519 public keys (PEM) that readers trust; if absent, the one in `.data/keys`, if it is there. */
  PUBLIC_KEY_FILE: z.string().optional(),
  /** The same keys as text, for platforms that cannot mount a file; only one of the two may be set. */
  PUBLIC_KEY: z.string().optional(),
  /** The log's name: a host and a path without a scheme, such as `api.example.com/log`. A bucket needs one. */
  LOG_ORIGIN: parsed(
    (t) => (/^[^\s+]{1,200}$/.test(t) ? t : null),
    'a name without blanks and "+", such as api.example.com/log',
  ).optional(),
  /** Address of health, readiness and metrics. If no port is set: 9464, or any free port if 9464 is taken. */
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65535).optional(),
  /**
   * How long a stopping gateway reports "not ready" but keeps serving, so that load balancers can drain it. If not set:
   * 3, or 0 on a terminal.
   */
  DRAIN_SECONDS: wholeNumber(0, 600).optional(),
  /** After DRAIN_SECONDS: how long requests in flight may take. */
  SHUTDOWN_SECONDS: wholeNumber(0, 600).default(10),
  /** The shard index of a job, from 0; set by Kubernetes for an Indexed Job. */
  JOB_COMPLETION_INDEX: wholeNumber(0, 999_999).optional(),
  /** The shard index of an AWS Batch array job, from 0. */
  AWS_BATCH_JOB_ARRAY_INDEX: wholeNumber(0, 999_999).optional(),
  /** Where the auditor's commands remember the logs that they have seen; if absent, `~/.local/state`. */
  XDG_STATE_HOME: z.string().optional(),
  /** Where infra/systemd/copy-data copies everything. */
  BACKUP_URL: storeLocation.optional(),
  /** How long infra/systemd/remove-drops keeps the drops that were ingested. */
  KEEP_DROPS_DAYS: wholeNumber(1, 36_500).default(35),
  LOG_LEVEL: z.enum(logLevels, { error: `expected one of ${logLevels.join(', ')}` }).default('info'),
});

export type Config = z.infer<typeof settings>;

/**
 * What infra/sightline passes to the program that it starts; nobody sets these.
 * @returns `command`: how the operator types our commands, if not as `npm run`; `settings` and `state`: the folders of an
 * installed machine, `settings` only on one
 */
export function givenByWrapper(environment: Record<string, string | undefined> = process.env): {
  command?: string | undefined;
  settings?: string | undefined;
  state: string;
} {
  const { SIGHTLINE_COMMAND: command, SETTINGS_FOLDER, STATE_FOLDER = '/var/lib/sightline' } = environment;
  return { command, settings: SETTINGS_FOLDER, state: STATE_FOLDER };
}

/** How to reach an S3 server. The AWS SDK itself finds credentials, region and profile (`AWS_*`). */
export type S3Settings = Pick<
  Config,
  'S3_ENDPOINT' | 'S3_FORCE_PATH_STYLE' | 'AWS_MAX_ATTEMPTS' | 'S3_TIMEOUT_SECONDS'
>;

/**
 * Reads all settings from the environment. An empty setting counts as absent.
 * @param defaults that replace the defaults above for one program
 * @throws WrongSetting that names every setting that does not parse; never shows values, which may be secrets.
 */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  defaults: Record<string, string> = {},
): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = settings.safeParse({ ...defaults, ...given });
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new WrongSetting(`setting does not parse: ${lines.join('; ')}`);
}

/** The names of the settings that the environment sets. */
export function settingsGiven(environment: Record<string, string | undefined> = process.env): string[] {
  return Object.keys(settings.shape).filter((name) => (environment[name] ?? '') !== '');
}
