import type { StoreLocation } from '../../config.ts';
import { S3Bucket } from './bucket.ts';
import { probeConditions } from './conditions.ts';
import { s3Name } from './settings.ts';
import type { S3Settings } from './settings.ts';

type S3Location = StoreLocation & { kind: 's3' };

/** Tries both conditional writes on a probe object, which stays. @throws Failure if the server ignores them. */
export async function probeConditionalWrites(location: S3Location, settings: S3Settings): Promise<void> {
  const bucket = new S3Bucket(location.bucket, settings);
  try {
    const base = location.prefix === '' ? '' : `${location.prefix}/`;
    await probeConditions(bucket, base, s3Name(location));
  } finally {
    bucket.close();
  }
}
