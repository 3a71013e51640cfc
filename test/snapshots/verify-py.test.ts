/** @module-tag black-box */
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import {
  forgedCheckpoint,
  keysOf,
  makeTestKeys,
  ORIGIN,
  publishHistory,
  publishWeek,
  testLog,
  withdraw,
  workspaceIds,
} from '../adapters/publish.ts';
import type { TestLog } from '../adapters/publish.ts';
import { supersededIn } from '../adapters/verify.ts';
import { temporaryFolders } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';

const script = join(import.meta.dirname, '../../docs/verify.py');
const newFolder = temporaryFolders();
const [workspaceId] = workspaceIds;

const CHECKPOINT_KEY = 'log/checkpoint';

let log: TestLog;
/** The checkpoint from before the newest commit. */
let kept: string;
let ids: string[];

/** Two workspaces with four weeks each; of the first, the two oldest snapshots were withdrawn. */
beforeAll(async () => {
  log = await testLog(await newFolder());
  ids = await publishHistory(log);
  kept = join(log.root, 'kept');
  await cp(join(log.root, 'store', CHECKPOINT_KEY), kept);
  await withdraw(log, workspaceId, [
    { snapshotId: ids[0]!, reason: 'pruned' },
    { snapshotId: ids[1]!, reason: 'mistaken' },
    { snapshotId: ids[1]!, reason: 'lost' },
  ]);
});

/** Standard output, or what it complains about. */
async function verify(store: string, ...args: string[]): Promise<string> {
  const options = args.length === 0 ? [ORIGIN, log.keys.publicKey] : args;
  return await promisify(execFile)('python3', [script, store, ...options]).then(
    ({ stdout }) => stdout,
    ({ code, stderr }: { code: number; stderr: string }) => `${code}: ${stderr}`,
  );
}

const own = () => join(log.root, 'store');

/** A copy of the store with this checkpoint. */
async function withCheckpoint(text: string): Promise<string> {
  const copy = join(await newFolder(), 'store');
  await cp(own(), copy, { recursive: true });
  await writeFile(join(copy, CHECKPOINT_KEY), text);
  return copy;
}

describeWith(['python3', 'openssl'], 'docs/verify.py', () => {
  test('finds an intact store intact, with withdrawn snapshots and a kept checkpoint', async () => {
    const intact = /^20 entries, root \S+=\n8 snapshots of 2 workspaces, 102 documents\nIntact\.\n$/;
    const checkpoints = [kept, join(own(), CHECKPOINT_KEY)];
    expect(await verify(own(), ORIGIN, log.keys.publicKey, ...checkpoints)).toMatch(intact);
    expect(await verify(own(), ORIGIN)).toContain('verify.py STORE LOG_ORIGIN');
  });

  test('refuses another key, another log, and a log that does not continue a kept checkpoint', async () => {
    const other = await makeTestKeys(log.root, 'other');
    const unsigned = /^1: NOT INTACT: .* is not signed with this key\n/;
    expect(await verify(own(), ORIGIN, other.publicKey)).toMatch(unsigned);
    expect(await verify(own(), 'other.example/log', log.keys.publicKey)).toContain(`is of the log ${ORIGIN}`);
    const later = await testLog(await newFolder(), { keys: log.keys });
    await publishWeek(later, workspaceId, '2026-11-23');
    const foreign = join(later.root, 'store', CHECKPOINT_KEY);
    expect(await verify(own(), ORIGIN, log.keys.publicKey, kept, foreign)).toContain('do not lead to');
    const older = await withCheckpoint(await readFile(kept, 'utf8'));
    const newer = join(own(), CHECKPOINT_KEY);
    expect(await verify(older, ORIGIN, log.keys.publicKey, newer)).toContain(`do not lead to ${newer}`);
  });

  test('refuses a checkpoint with a wrong signature line of the key, or a right one over another root', async () => {
    const text = await readFile(join(own(), CHECKPOINT_KEY), 'utf8');
    const line = text.slice(text.indexOf('—'));
    const wrong = line.replace(/[^\n](=*\n)$/, 'A$1').replace(/(.{30}).{4}(=*\n)$/, '$1AAAA$2');
    expect(await verify(await withCheckpoint(`${text}${wrong}`))).toContain('is not signed with this key');
    const forged = forgedCheckpoint(log, 20, Buffer.alloc(32));
    expect(await verify(await withCheckpoint(forged))).toContain('the entries do not lead to');
  });

  test('finds an object of each kind that is altered or gone, but none that may be gone', async () => {
    const copy = await withCheckpoint(await readFile(join(own(), CHECKPOINT_KEY), 'utf8'));
    const isSuperseded = await supersededIn(log);
    const [pruned, lost] = ids;
    // It computes the tree of hashes itself.
    const mayBeGone = (key: string) =>
      isSuperseded(key) ||
      key.startsWith('log/tile/0/') ||
      key.includes(lost!) ||
      (key.includes(pruned!) && !key.endsWith('.manifest.json'));
    const keys = await keysOf(log.store);
    for (const key of keys.filter(mayBeGone)) await rm(join(copy, key));
    expect(await verify(copy)).toMatch(/\nIntact\.\n$/);
    const needed = keys.filter((key) => !mayBeGone(key));
    const ofEveryKind = new Map(needed.map((key) => [kindOf(key), key]));
    const unnoticed: string[] = [];
    for (const key of ofEveryKind.values()) {
      const file = join(copy, key);
      const bytes = await readFile(file);
      const altered = Buffer.from(bytes);
      altered[bytes.length >> 1]! ^= 1;
      for (const write of [async () => await writeFile(file, altered), async () => await rm(file)]) {
        await write();
        if (!(await verify(copy)).startsWith('1: NOT INTACT: ')) unnoticed.push(key);
      }
      await writeFile(file, bytes);
    }
    expect([ofEveryKind.size, unnoticed]).toEqual([10, []]);
  });
});

const kindOf = (key: string) =>
  key.replaceAll(/[0-9a-f-]{16,}|\d+/g, '#').replace(/\/brands\/.*/, '/brands/');
