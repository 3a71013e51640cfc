import type { Config, StoreLocation } from '../../config.ts';

/** How to reach an S3 server. Credentials, region and profile are the AWS SDK's own to find (`AWS_*`). */
export interface S3Settings {
  /** Another server than AWS's own. */
  endpoint?: string;
  /** `http://host/bucket/key` instead of `http://bucket.host/key`. */
  forcePathStyle: boolean;
  /** Tries of one request, the first included. */
  maxAttempts: number;
  /** How long a connection may be silent before the request counts as failed. */
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

/** What an S3 store is called in messages. */
export function s3Name({ bucket, prefix }: StoreLocation & { kind: 's3' }): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
}
