/** @module-tag slow */
import { describeEachS3 } from '../../../support/s3-server.ts';
import { describeStore } from '../contract.ts';

describeEachS3('an S3 store, as any store', (bucket) => {
  let places = 0;
  describeStore(() => {
    places += 1;
    const prefix = `place-${places}`;
    return Promise.resolve(() => bucket().store(prefix));
  });
});
