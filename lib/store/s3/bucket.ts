import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import type { S3Settings } from '../../config.ts';
import { sha256 } from '../../hash.ts';
import { once } from '../../once.ts';
import { bytesOf, saveObject } from './download.ts';
import { isMissing, isPassing, isRefused, s3Failure } from './failure.ts';
import type { ObjectInfo } from '../store.ts';

const REQUESTS_AT_ONCE = 32;
/** With growing random waits, so that many clients do not retry at the same instant. */
const RETRY = {
  minTimeout: 50,
  maxTimeout: 20_000,
  randomize: true,
  shouldRetry: ({ error }: { error: unknown }) => isPassing(error),
};
const CONNECT_TIMEOUT_MS = 5000;
/** The slowest accepted upload, in addition to the time that a server may be silent. */
const BYTES_PER_SECOND_LOW = 1_000_000;

/** The condition of a write: the key has no object, or the object with this ETag (in the form that is sent). */
export type Condition = 'holds nothing' | { holds: string };

/** A file to stream, with the digests of its bytes: a stream is sent without a signed SHA-256. */
export interface Upload {
  path: string;
  bytes: number;
  md5Base64: string;
  sha256Hex: string;
}

/**
 * The requests to one bucket, by full key. The only file that uses the AWS SDK. ETags are returned without quotes.
 * Every error is a Failure that names the object and the server.
 */
export class S3Bucket {
  readonly #name: string;
  readonly #settings: S3Settings;
  readonly #client: S3Client;
  readonly #limit = pLimit(REQUESTS_AT_ONCE);

  constructor(name: string, settings: S3Settings) {
    this.#name = name;
    this.#settings = settings;
    this.#client = clientOf(settings);
  }

  /** @throws Failure if it has more than `mostBytes`; the rest is not read. */
  async get(key: string, mostBytes = Infinity): Promise<{ bytes: Buffer; etag: string } | null> {
    return await this.#read(key, async (object) => {
      return { bytes: await bytesOf(object, this.#url(key), mostBytes), etag: bare(object.ETag) };
    });
  }

  /** Streams an object into a file and verifies its SHA-256. False if there is no object. */
  async download(key: string, path: string): Promise<boolean> {
    const saved = await this.#read(key, async (object) => {
      await saveObject(object, path, this.#url(key));
      return true;
    });
    return saved !== null;
  }

  /** The ETag of the new object, or null if the condition is not met. */
  async put(key: string, content: Uint8Array | Upload, condition: Condition): Promise<string | null> {
    const writer = randomUUID();
    let triedBefore = false;
    const write = async (): Promise<string | null> => {
      try {
        return await this.#send(key, content, condition, writer);
      } catch (error) {
        const repeated = triedBefore;
        triedBefore = true;
        if (!isRefused(error, condition !== 'holds nothing')) throw error;
        return repeated ? await this.#etagIfWrittenBy(writer, key) : null;
      }
    };
    return await this.#turn('written', key, write);
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    for await (const { Contents } of this.#pages(prefix, {}))
      for (const { Key, Size, LastModified } of Contents ?? [])
        yield { key: Key!, bytes: Size!, modifiedAt: LastModified!.getTime() };
  }

  async *folders(prefix: string): AsyncGenerator<string> {
    for await (const { CommonPrefixes } of this.#pages(prefix, { Delimiter: '/' }))
      for (const { Prefix } of CommonPrefixes ?? []) yield Prefix!;
  }

  async delete(key: string): Promise<void> {
    await this.#turn('deleted', key, () => this.#client.send(new DeleteObjectCommand(this.#at(key))));
  }

  /**
   * Lists one object at most.
   * @returns the time of the server's clock, in milliseconds since the Unix epoch; null if the response has no date
   */
  async check(prefix: string): Promise<number | null> {
    let date: string | undefined;
    const command = new ListObjectsV2Command({ Bucket: this.#name, Prefix: prefix, MaxKeys: 1 });
    command.middlewareStack.add(
      (next) => async (given) => {
        const handled = await next(given);
        date = (handled.response as { headers?: Record<string, string> }).headers?.['date'];
        return handled;
      },
      { step: 'deserialize' },
    );
    await this.#turn('listed', prefix, () => this.#client.send(command));
    const time = Date.parse(date ?? '');
    return Number.isNaN(time) ? null : time;
  }

  close(): void {
    this.#client.destroy();
  }

  async #read<T>(key: string, consume: (object: GetObjectCommandOutput) => Promise<T>): Promise<T | null> {
    return await this.#turn('read', key, async () => {
      const object = await this.#client.send(new GetObjectCommand(this.#at(key))).catch(nullIfMissing);
      return object === null ? null : await consume(object);
    });
  }

  async #send(key: string, content: Uint8Array | Upload, condition: Condition, writer: string) {
    const body = 'path' in content ? createReadStream(content.path, { highWaterMark: 1 << 20 }) : content;
    const isFile = 'path' in content;
    const bytes = isFile ? content.bytes : content.length;
    const digest = isFile ? content.sha256Hex : sha256(content);
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: body,
      ContentLength: bytes,
      // A bucket with Object Lock requires one of the two; the signed SHA-256 does not count.
      ...(isFile
        ? { ContentMD5: content.md5Base64 }
        : { ChecksumSHA256: Buffer.from(digest, 'hex').toString('base64') }),
      Metadata: { writer, sha256: digest },
      ...(condition === 'holds nothing' ? { IfNoneMatch: '*' } : { IfMatch: condition.holds }),
    });
    const requestTimeout = (this.#settings.S3_TIMEOUT_SECONDS + bytes / BYTES_PER_SECOND_LOW) * 1000;
    try {
      return bare((await this.#client.send(command, { requestTimeout })).ETag);
    } finally {
      if (body instanceof Readable) body.destroy();
    }
  }

  /** A repeated write whose first attempt did succeed is refused because of its own object. */
  async #etagIfWrittenBy(writer: string, key: string): Promise<string | null> {
    const found = await this.#client.send(new HeadObjectCommand(this.#at(key))).catch(nullIfMissing);
    return found?.Metadata?.['writer'] === writer ? bare(found.ETag) : null;
  }

  async *#pages(prefix: string, options: { Delimiter?: string }) {
    let token: string | undefined;
    do {
      const input = { Bucket: this.#name, Prefix: prefix, ContinuationToken: token, ...options };
      const page = await this.#turn('listed', prefix, () =>
        this.#client.send(new ListObjectsV2Command(input)),
      );
      yield page;
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  /** Repeats a request after a transient error, also if a response breaks off in the middle. */
  async #turn<T>(verb: string, key: string, work: () => Promise<T>): Promise<T> {
    try {
      const retries = this.#settings.AWS_MAX_ATTEMPTS - 1;
      return await this.#limit(() => pRetry(work, { ...RETRY, retries }));
    } catch (error) {
      const endpoint = this.#settings.S3_ENDPOINT;
      const server = endpoint === undefined ? 'the S3 server' : new URL(endpoint).origin;
      throw s3Failure(error, verb, { url: this.#url(key), server });
    }
  }

  #at(key: string) {
    return { Bucket: this.#name, Key: key };
  }

  #url(key: string): string {
    return `s3://${this.#name}/${key}`;
  }
}

function clientOf({
  S3_ENDPOINT: endpoint,
  S3_FORCE_PATH_STYLE: forcePathStyle,
  S3_TIMEOUT_SECONDS: timeout,
}: S3Settings): S3Client {
  const timeoutMs = timeout * 1000;
  const agent = { keepAlive: true, maxSockets: REQUESTS_AT_ONCE };
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint, region: regionOrDefault() }),
    forcePathStyle,
    maxAttempts: 1, // `#turn` repeats: the SDK cannot repeat a stream, nor a response that broke off
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Some servers refuse the CRC32 trailers that the SDK sends by default. Writes from memory have a signed SHA-256,
    // which every server verifies, and files have Content-MD5; both at once cost Ceph a quarter of its throughput.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: silent, // errors are thrown; the SDK would also print them
  });
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

const nothing = () => undefined;
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The signature needs a region, even if the server ignores it. The SDK calls this for every request. */
function regionOrDefault(): () => Promise<string> {
  const configured = new S3Client({}).config.region;
  return once(() => configured().catch(() => 'us-east-1'));
}

function bare(etag: string | undefined): string {
  return etag?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? '';
}
