import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { parseStoreLocation } from '../../lib/config.ts';
import { decodeJson } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import { openStore } from '../../lib/store/open.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { TreeHead } from '../log/notes/checkpoint.ts';
import type { Head, VerifyReport } from './report.ts';

const stateSchema = z.object({
  format: z.literal(1),
  heads: z.array(z.object({ workspaceId: z.string(), snapshotId: z.string(), manifestSha256: z.string() })),
  /** The head of the transparency log; its root in base64. */
  log: z.object({ origin: z.string(), size: z.number(), root: z.base64() }).nullable(),
});

/** The state of the last verification: the newest snapshot of every workspace, and the head of the log. */
export interface SeenState {
  heads: Head[];
  log: TreeHead | null;
  /** The object's version, for {@link writeState}; null if there is none. */
  version: string | null;
}

/** The location of the state: a file, or an object in S3. */
export interface StateLocation {
  /** The name in messages. */
  name: string;
  store: ObjectStore;
  key: string;
}

/** @param text a path or `s3://bucket/key` @throws Failure if it is neither. */
export function openState(text: string): StateLocation {
  const location = parseStoreLocation(text);
  if (location === null || text.endsWith('/') || (location.kind === 's3' && location.prefix === ''))
    throw new Failure(`--state ${text} is neither a file nor s3://bucket/key`);
  if (location.kind === 'directory' && basename(location.path).startsWith('.'))
    throw new Failure(`--state ${text}: the name of the file must not begin with a dot`);
  if (location.kind === 'directory')
    return {
      name: location.path,
      store: openStore({ kind: 'directory', path: dirname(location.path) }),
      key: basename(location.path),
    };
  const { bucket, prefix } = location;
  const [key, ...folders] = prefix.split('/').toReversed();
  const parent = folders.toReversed().join('/');
  const url = `s3://${bucket}${parent === '' ? '' : `/${parent}`}`;
  return { name: text, store: openStore({ kind: 's3', bucket, prefix: parent, url }), key: key ?? '' };
}

/** The state; empty if there is none yet. @throws Failure if it cannot be read. */
export async function readState({ store, key, name }: StateLocation): Promise<SeenState> {
  const object = await store.get(key);
  if (object === null) return { heads: [], log: null, version: null };
  const { heads, log } = decodeJson(object.bytes, stateSchema, name, 'is not a state of verify');
  const seenLog = log === null ? null : { ...log, root: Buffer.from(log.root, 'base64') };
  return { heads, log: seenLog, version: object.version };
}

/**
 * Replaces the state in one step by the result of a verification; keeps the heads of workspaces that it did not check.
 * Call it only if the store is intact: the next verification trusts the state.
 * @throws Failure if another verification replaced it meanwhile.
 */
export async function writeState(
  { store, key, name }: StateLocation,
  before: SeenState,
  { heads, log }: Pick<VerifyReport, 'heads' | 'log'>,
): Promise<void> {
  const seen = new Map([...before.heads, ...heads].map((head) => [head.workspaceId, head]));
  const head = log ?? before.log;
  const state = {
    format: 1,
    heads: [...seen.values()].toSorted(byWorkspaceId),
    log: head === null ? null : { origin: head.origin, size: head.size, root: head.root.toString('base64') },
  };
  const bytes = Buffer.from(`${JSON.stringify(state)}\n`);
  if (!(await store.swap(key, bytes, before.version)))
    throw new Failure(`${name} was replaced by another verification meanwhile; run verify again`);
}

function byWorkspaceId(a: Head, b: Head): number {
  return a.workspaceId < b.workspaceId ? -1 : 1;
}
