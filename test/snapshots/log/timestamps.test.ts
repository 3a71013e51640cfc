import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { stampCheckpoints, stampedAt, timestampQuery } from '../../../snapshots/log/timestamps.ts';
import { describeWith } from '../../support/requires.ts';
import { startTimestampAuthority } from '../../support/timestamp-authority.ts';
import { makePlace } from './histories.ts';

const run = promisify(execFile);

test('a query is the 59 bytes of RFC 3161, and a reply for other data is refused', () => {
  expect(timestampQuery(Buffer.from('data'))).toHaveLength(59);
  expect(stampedAt(Buffer.from('3003020102', 'hex'), Buffer.from('data'))).toBeNull();
});

describeWith(['openssl'], 'time stamps', () => {
  test('exist for each kept checkpoint, have a time, and verify with openssl', async () => {
    const { folder, store, appending } = await makePlace();
    const authority = await startTimestampAuthority(folder);
    onTestFinished(() => authority.close());
    const before = Math.floor(Date.now() / 1000) * 1000;
    await appendToLog(appending([2]));
    await appendToLog(appending([3]));
    expect(await stampCheckpoints(store, authority.url)).toEqual([
      { size: 2, failure: null },
      { size: 3, failure: null },
    ]);
    expect(await stampCheckpoints(store, authority.url)).toEqual([]);
    const file = join(folder, 'store/log/checkpoints/3');
    const args = ['ts', '-verify', '-data', file, '-in', `${file}.tsr`, '-CAfile', authority.certificate];
    expect((await run('openssl', args)).stdout).toContain('Verification: OK');
    const [data, reply] = [await store.get('log/checkpoints/3'), await store.get('log/checkpoints/3.tsr')];
    expect(stampedAt(reply!.bytes, data!.bytes)).toBeGreaterThanOrEqual(before);
    expect(stampedAt(reply!.bytes, Buffer.from('other'))).toBeNull();
  });

  test('that fail are reported and retried, oldest first', async () => {
    const { folder, store, appending } = await makePlace();
    const authority = await startTimestampAuthority(folder);
    onTestFinished(() => authority.close());
    await appendToLog(appending([1]));
    authority.isAway = true;
    const [outcome, ...rest] = await stampCheckpoints(store, authority.url);
    expect([outcome!.failure, rest]).toEqual([expect.stringContaining('status 503'), []]);
    authority.isAway = false;
    await appendToLog(appending([2]));
    expect(await stampCheckpoints(store, authority.url)).toEqual([
      { size: 1, failure: null },
      { size: 2, failure: null },
    ]);
  });
});
