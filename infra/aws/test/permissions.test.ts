import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rejectsKey } from '../../../jobs/lake/layout.ts';
import {
  documentPath,
  leaseKey,
  headKey,
  inputsKey,
  manifestKey,
  pointerKey,
  receiptKey,
  tombstoneKey,
} from '../../../snapshots/layout.ts';
import { CHECKPOINT_KEY } from '../../../snapshots/log/layout.ts';
import { generateKeyPair } from '../../../snapshots/signing.ts';
import { STATE_KEY, keys } from '../project.ts';
import { deployed } from './deployed.ts';
import { allows } from './iam.ts';
import { run } from './program.ts';

const storage = deployed().template('storage');
const create = { action: 's3:PutObject', header: 's3:if-none-match' as const };

/** Those of the objects, including the probe, that a policy does not allow to create. */
function forbidden(policy: string, bucket: string, objects: string[]): string[] {
  return [...objects, keys.probe].filter((key) => !allows(storage, policy, create, `${bucket}/${key}`));
}

const { privatePem } = generateKeyPair();
const signing = { SIGNING_KEY: privatePem, LOG_ORIGIN: 'api.example.com/log' };

async function runJob(...args: string[]): Promise<void> {
  await run('node', ['jobs/cli.ts', ...args], { SIGNING_KEY: privatePem });
}

async function runAudit(...args: string[]): Promise<void> {
  await run('node', ['snapshots/cli.ts', ...args], signing);
}

describe('permissions cover the keys that the project writes', () => {
  const [workspace, snapshot] = [
    '6dc5cc01-e5c0-4398-a442-a3d03067609d',
    '20261116T060000.000Z-0123456789abcdef',
  ];

  test.each([
    pointerKey(workspace),
    manifestKey(workspace, snapshot),
    receiptKey(workspace, snapshot),
    `${manifestKey(workspace, snapshot).replace('manifest.json', '')}${documentPath(workspace, 'stability')}`,
  ])('the weekly job may create %s, and the gateway read it', (key) => {
    expect(allows(storage, 'WeeklyAccess', create, `Store/${key}`)).toBe(true);
    expect(allows(storage, 'GatewayAccess', { action: 's3:GetObject' }, `Store/${key}`)).toBe(true);
  });

  test('the operator may create the tombstones of `audit prune`', () => {
    expect(allows(storage, 'OperatorAccess', create, `Store/${tombstoneKey(workspace, snapshot)}`)).toBe(
      true,
    );
  });

  test('the weekly job may write lists of inputs, and its heads in the lake', () => {
    expect(allows(storage, 'WeeklyAccess', create, `Store/${inputsKey('0'.repeat(64))}`)).toBe(true);
    expect(allows(storage, 'WeeklyAccess', create, `Lake/${headKey(workspace)}`)).toBe(true);
  });

  test('ingest may write rejects', () => {
    expect(allows(storage, 'IngestAccess', create, `Lake/${rejectsKey('0'.repeat(64))}`)).toBe(true);
  });

  test('no role may write the lease of `job schedule`: AWS has its own schedule', () => {
    for (const policy of ['WeeklyAccess', 'OperatorAccess', 'GatewayAccess'])
      expect(allows(storage, policy, create, `Store/${leaseKey('all')}`)).toBe(false);
  });

  test('the gateway may read the objects of the history and its proofs', () => {
    const read = { action: 's3:GetObject' };
    for (const key of [tombstoneKey(workspace, snapshot), CHECKPOINT_KEY, 'log/tile/entries/000.p/1'])
      expect(allows(storage, 'GatewayAccess', read, `Store/${key}`)).toBe(true);
  });

  test('ingest, weekly job, log and verification may create all objects that they create in a real run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sightline-aws-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const at = (name: string) => join(folder, name);
    const asOf = ['--as-of', '2026-11-16T06:00:00Z'];
    await runJob(
      'demo',
      '--to',
      at('drop'),
      '--workspaces',
      '1',
      '--brands',
      '1',
      '--prompts',
      '2',
      '--cycles',
      '5',
      ...asOf,
    );
    await runJob('ingest', '--from', at('drop'), '--lake', at('lake'), '--date', '2026-11-16');
    const delivered = await keysIn(at('lake'));
    await runJob('weekly', '--lake', at('lake'), '--store', at('store'), ...asOf);
    const kept = (await keysIn(at('lake'))).filter((key) => !delivered.includes(key));
    const published = await keysIn(at('store'));
    expect([delivered, kept, published].map(({ length }) => length > 0)).toEqual([true, true, true]);
    expect(forbidden('IngestAccess', 'Lake', delivered)).toEqual([]);
    expect(forbidden('WeeklyAccess', 'Lake', kept)).toEqual([]);
    expect(forbidden('WeeklyAccess', 'Store', published)).toEqual([]);
    expect(forbidden('IngestAccess', 'Store', published)).toEqual([...published, keys.probe]);

    await runAudit('log', 'append', '--lake', at('lake'), '--store', at('store'));
    const logged = (await keysIn(at('store'))).filter((key) => !published.includes(key));
    const known = new Set([...delivered, ...kept]);
    const committed = (await keysIn(at('lake'))).filter((key) => !known.has(key));
    expect(logged).toContain(keys.checkpoint);
    expect(committed).toContain(keys.committed);
    expect(forbidden('LogAccess', 'Store', logged)).toEqual([]);
    expect(forbidden('LogAccess', 'Lake', committed)).toEqual([]);
    await runAudit('verify', '--store', at('store'), '--state', join(at('state'), STATE_KEY));
    expect(await keysIn(at('state'))).toEqual([STATE_KEY]);
    expect(forbidden('VerifyAccess', 'State', [STATE_KEY])).toEqual([]);
    expect(forbidden('WeeklyAccess', 'State', [STATE_KEY])).toEqual([STATE_KEY, keys.probe]);
  });
});

/** The objects of a lake or store in a folder, by key. */
async function keysIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((key) => !key.split('/').some((part) => part.startsWith('.')));
}
