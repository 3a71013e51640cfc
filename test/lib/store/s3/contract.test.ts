import { afterAll, beforeAll } from 'vitest';
import { describeS3, makeBucket } from '../../../support/s3-server.ts';
import type { TestBucket } from '../../../support/s3-server.ts';
import { describeStore } from '../contract.ts';

describeS3('an S3 store, as any store,', () => {
  let bucket: TestBucket;
  let places = 0;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  describeStore(() => {
    places += 1;
    const prefix = `place-${places}`;
    return Promise.resolve(() => bucket.store(prefix));
  });
});
