import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeEachS3 } from '../../support/s3-server.ts';
import { publishWeek, testLog } from '../publish.ts';
import { workspaceId } from './audited.ts';

describeEachS3('the state of --state may be in a bucket', (bucket) => {
  test('where verify replaces it', async () => {
    const log = await testLog(await temporaryFolder());
    const own = { PUBLIC_KEY_FILE: log.keys.publicKey, STORE_URL: 'store', ...bucket().environment };
    const place = { folder: log.root, settings: own };
    const line = ['verify', '--state', bucket().location('audit/verify.json').url];
    await publishWeek(log, workspaceId, '2026-11-09');
    const began = await runHere('audit', line, place);
    expect([began.status, began.stderr]).toEqual([0, expect.stringContaining('verify.json is new: ')]);
    await publishWeek(log, workspaceId, '2026-11-16');
    const wrong = ['verify', '--state', 'none', '--store', bucket().location('wrong').url];
    expect(await runHere('audit', wrong, place)).toMatchObject({ status: 1 });
    expect(await runHere('audit', line, place)).toMatchObject({ status: 0, stderr: '' });
    const kept = await bucket().store().get('audit/verify.json');
    expect(kept!.bytes).toEqual(await readFile(join(log.root, 'store/log/checkpoint')));
  });
});
