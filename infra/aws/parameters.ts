import { readFileSync } from 'node:fs';
import { z } from 'zod';

const wholeNumber = (low: number, high: number) => z.number().int().min(low).max(high);

/**
 * How tasks reach ECR, CloudWatch and Secrets Manager. S3 has a free gateway endpoint in either case.
 * `addresses`: public subnets, and a public address per task; security groups allow nothing in from the internet.
 * `endpoints`: isolated subnets, and an interface endpoint per service; there is no route to the internet.
 */
const egress = z.enum(['addresses', 'endpoints']);

/** The parameters of a deployment: the object `sightline` in `cdk.context.json`. */
const schema = z.strictObject({
  /** Prefix of the stacks' names; two deployments in one account need different ones. */
  name: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]{0,19}$/)
    .default('Sightline'),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
  /** The ACM certificate of the load balancer, in the same region. */
  certificateArn: z.string().regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/\S+$/),
  /** A DNS name in a hosted zone, to be pointed to the load balancer; if absent, create the record yourself. */
  domain: z
    .strictObject({ name: z.string().min(3), zoneId: z.string().min(1), zone: z.string().min(3) })
    .optional(),
  /** The image: a repository in ECR of this account and region, and a tag (or `sha256:…`) in it. */
  repository: z.string().min(2).default('sightline'),
  tag: z.string().min(1),
  architecture: z.enum(['x86_64', 'arm64']).default('x86_64'),
  egress: egress.default('addresses'),
  /** The certificate authorities (PEM file) of the database: the RDS bundle of the region. */
  recordsAuthorityFile: z.string().min(1),
  /** The full ARN of the secret with the private key (PEM, as plain text) that signs snapshots and the log. */
  signingKeyArn: z
    .string()
    .regex(/^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:\S+-[A-Za-z0-9]{6}$/),
  /** The public key (PEM file) that gateways, jobs and the verification trust. */
  publicKeyFile: z.string().min(1),
  /**
   * Further public keys (PEM file) that jobs and the verification trust, but not gateways: older ones, or the next one.
   */
  otherPublicKeysFile: z.string().min(1).optional(),
  /** The transparency log. */
  log: z.strictObject({
    /** Its name: a host and a path. */
    origin: z.string().regex(/^[^\s+:]+\/[^\s+]+$/),
    /** An RFC 3161 authority that timestamps its heads. */
    timestampUrl: z.url({ protocol: /^https$/ }).optional(),
    /** Witnesses that cosign its heads. */
    witnessUrls: z.array(z.url({ protocol: /^https$/ })).default([]),
  }),
  /**
   * When the nightly append to the log runs: minute and hour in the time zone of `weekly`. The verification follows an
   * hour later.
   */
  nightly: z
    .strictObject({ minute: wholeNumber(0, 59).default(30), hour: wholeNumber(0, 22).default(1) })
    .prefault({}),
  /** The e-mail address for alarms. */
  alarmEmail: z.email().optional(),
  /** Roles or users that may assume the ingest role; if empty, those that the account allows. */
  ingestPrincipals: z
    .array(z.string().regex(/^arn:aws[a-z-]*:iam::\d{12}:(root|role\/\S+|user\/\S+)$/))
    .default([]),
  /**
   * How long no version of a snapshot's object can be deleted (governance: except by principals that may bypass it).
   */
  lock: z
    .strictObject({
      mode: z.enum(['governance', 'compliance']).default('governance'),
      days: wholeNumber(1, 36_500).default(365),
    })
    .prefault({}),
  gateway: z
    .strictObject({
      /** 1024 is a core; Fargate supports only some combinations with memory. */
      cpu: z.literal([256, 512, 1024, 2048, 4096]).default(512),
      memoryMiB: wholeNumber(512, 30_720).default(1024),
      fewest: wholeNumber(1, 100).default(2),
      most: wholeNumber(1, 100).default(6),
    })
    .prefault({}),
  records: z
    .strictObject({
      /** An instance class of RDS, without `db.`. */
      size: z
        .string()
        .regex(/^[a-z0-9]+\.[a-z0-9]+$/)
        .default('t4g.micro'),
      storageGiB: wholeNumber(20, 1000).default(20),
      /** 2: one in each of two zones; the second takes over in a failure. */
      copies: z.literal([1, 2]).default(2),
      backupDays: wholeNumber(7, 35).default(14),
      /** The alarm threshold for connections: a t4g.micro takes about 110, a gateway opens up to 4. */
      connectionsAlarm: wholeNumber(5, 5000).default(80),
    })
    .prefault({}),
  weekly: z
    .strictObject({
      /** The as-of time of snapshots, as a cron expression: minute, hour, day of month, month, day of week. */
      due: z
        .string()
        .regex(/^\S+( \S+){4}$/)
        .default('0 6 * * 1'),
      /**
       * When the job runs, in the six fields of EventBridge Scheduler. Later runs publish workspaces that were held
       * back or failed before.
       */
      cron: z
        .string()
        .regex(/^\S+( \S+){5}$/)
        .default('0 6-22/2 ? * MON *'),
      /** The percentage of its newest week that must be delivered for a workspace to be published. */
      requireComplete: wholeNumber(0, 100).default(90),
      timeZone: z.string().refine(isTimeZone, 'no time zone').default('UTC'),
      /** Parallel jobs, each with a part of the workspaces. */
      shards: wholeNumber(1, 1000).default(1),
      cpus: z.literal([1, 2, 4, 8, 16]).default(2),
      memoryGiB: wholeNumber(2, 120).default(8),
      scratchGiB: wholeNumber(21, 200).default(50),
      attempts: wholeNumber(1, 10).default(3),
      hours: wholeNumber(1, 24).default(6),
    })
    .prefault({}),
});

export type Parameters = Together & {
  /** PEM. */
  recordsAuthority: string;
  /** PEM, one key. */
  publicKey: string;
  /** PEM: it and all others. */
  publicKeys: string;
};

/**
 * Validates the parameters and reads their files.
 * @param given the object; `undefined` if there is none.
 * @param read reads a file as text; relative paths start at this folder
 * @throws Error of one line that names the parameter.
 */
export function readParameters(
  given: unknown,
  read = (path: string) => readFileSync(path, 'utf8'),
): Parameters {
  if (given === undefined)
    throw new Error('no deployment: write cdk.context.json, of which README.md has an example');
  const result = schema.safeParse(given);
  if (!result.success) {
    const lines = result.error.issues.map(
      ({ path, message }) => `${['sightline', ...path].join('.')}: ${message}`,
    );
    throw new Error(`cdk.context.json does not parse: ${lines.join('; ')}`);
  }
  const { recordsAuthorityFile, publicKeyFile, otherPublicKeysFile, ...rest } = result.data;
  checkTogether(rest);
  const recordsAuthority = pemOf('recordsAuthorityFile', recordsAuthorityFile, 'CERTIFICATE', read);
  const publicKey = pemOf('publicKeyFile', publicKeyFile, 'PUBLIC KEY', read);
  if (publicKey.split('BEGIN').length > 2)
    throw new Error(`sightline.publicKeyFile: ${publicKeyFile} has several keys, and a gateway trusts one`);
  const others =
    otherPublicKeysFile === undefined
      ? ''
      : pemOf('otherPublicKeysFile', otherPublicKeysFile, 'PUBLIC KEY', read);
  return { ...rest, recordsAuthority, publicKey, publicKeys: publicKey + others };
}

/** Rules between fields. */
function checkTogether({ region, certificateArn, signingKeyArn, gateway, egress: way, log }: Together): void {
  if (certificateArn.split(':')[3] !== region)
    throw new Error(
      `sightline.certificateArn: a load balancer in ${region} takes certificates of ${region} only`,
    );
  if (signingKeyArn.split(':')[3] !== region)
    throw new Error(`sightline.signingKeyArn: tasks in ${region} take secrets of ${region} only`);
  if (gateway.fewest > gateway.most) throw new Error('sightline.gateway: fewest is more than most');
  if (way === 'endpoints' && (log.timestampUrl !== undefined || log.witnessUrls.length > 0))
    throw new Error('sightline.log: with egress endpoints no task reaches a witness or a timestampUrl');
}

type Together = Omit<
  z.output<typeof schema>,
  'recordsAuthorityFile' | 'publicKeyFile' | 'otherPublicKeysFile'
>;

function pemOf(name: string, path: string, kind: string, read: (path: string) => string): string {
  let text;
  try {
    text = read(path);
  } catch (error) {
    throw new Error(`sightline.${name}: ${path} cannot be read`, { cause: error });
  }
  const blocks = text.match(new RegExp(`^-----BEGIN ${kind}-----$.*?^-----END ${kind}-----$`, 'gms')) ?? [];
  if (blocks.length === 0) throw new Error(`sightline.${name}: ${path} has no ${kind.toLowerCase()} in PEM`);
  if (text.length > MOST_BYTES)
    throw new Error(
      `sightline.${name}: ${path} is larger than ${MOST_BYTES} bytes; take the region's bundle`,
    );
  return `${blocks.join('\n')}\n`;
}

/** The bundle is part of a task definition, which may have 64 KiB. */
const MOST_BYTES = 32_768;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
