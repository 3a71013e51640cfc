import type { StoreLocation } from '../../config.ts';
import { S3Bucket } from './bucket.ts';
import { conditionalWrites } from './conditions.ts';
import { s3Name } from './settings.ts';
import type { S3Settings } from './settings.ts';

type S3Location = StoreLocation & { kind: 's3' };

/**
 * An S3 server's clock, in milliseconds since the Unix epoch, to the second; null if it sends no date.
 * @throws Failure
 */
export async function serverTime(location: S3Location, settings: S3Settings): Promise<number | null> {
  return await withBucket(location, settings, async (bucket, base) => await bucket.serverTime(base));
}

/** Tries both conditional writes on a probe object, which stays. @throws Failure if the server ignores them. */
export async function probeConditionalWrites(location: S3Location, settings: S3Settings): Promise<void> {
  await withBucket(location, settings, async (bucket, base) => {
    await conditionalWrites(bucket, base, s3Name(location))();
  });
}

async function withBucket<T>(
  { bucket: name, prefix }: S3Location,
  settings: S3Settings,
  work: (bucket: S3Bucket, base: string) => Promise<T>,
): Promise<T> {
  const bucket = new S3Bucket(name, settings);
  try {
    return await work(bucket, prefix === '' ? '' : `${prefix}/`);
  } finally {
    bucket.close();
  }
}
