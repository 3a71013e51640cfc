import { expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { lazyStore } from '../../../lib/store/lazy.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('a store whose load failed is loaded again, and closing it is not an error', async () => {
  const folder = await temporaryFolder();
  let loads = 0;
  const store = lazyStore('s3://bucket', async () => {
    if (++loads === 1) throw new Failure('the code cannot be read');
    return directoryStore(folder);
  });
  await expect(store.check()).rejects.toThrow('the code cannot be read');
  store.close(); // an unhandled rejection would fail this run
  await store.check();
  expect(loads).toBe(2);
});
