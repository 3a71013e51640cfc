import type { Config, StoreLocation } from '../../config.ts';

/** How to reach an S3 server. The AWS SDK itself finds credentials, region and profile (`AWS_*`). */
export interface S3Settings {
  /** The URL of the server; absent for AWS. */
  endpoint?: string;
  /** `http://host/bucket/key` instead of `http://bucket.host/key`. */
  forcePathStyle: boolean;
  /** Attempts of one request, including the first. */
  maxAttempts: number;
  /** Milliseconds that a connection may be silent before the request fails. */
  timeoutMs: number;
}

export function s3SettingsOf(config: Config): S3Settings {
  return {
    ...(config.S3_ENDPOINT === undefined ? {} : { endpoint: config.S3_ENDPOINT }),
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    maxAttempts: config.AWS_MAX_ATTEMPTS,
    timeoutMs: config.S3_TIMEOUT_SECONDS * 1000,
  };
}

/** The name of an S3 store in messages: `s3://bucket/prefix`. */
export function s3Name({ bucket, prefix }: StoreLocation & { kind: 's3' }): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
}
