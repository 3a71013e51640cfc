import { CHECKPOINT_KEY, TILES, headsKey, historyKey } from '../../../snapshots/layout.ts';
import { encodeEntry } from '../../../snapshots/log/entries.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { readCheckpoint, readEntries } from '../../../snapshots/log/read.ts';
import { rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { emptyLogEdge, growLog } from '../../../snapshots/log/write/grow.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import type { Finding, NoteKind, ProblemKind } from '../../../snapshots/verify/findings.ts';
import type { VerifyOptions, VerifyReport } from '../../../snapshots/verify/report.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import type { Objects } from '../../support/memory-store.ts';
import { workspaceIds } from '../history.ts';
import { newSigner, placeOf } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishHistory } from '../publish.ts';

export const [workspaceId, otherId] = workspaceIds;

export type Audited = Awaited<ReturnType<typeof auditedPlace>>;

/**
 * Two workspaces of four weeks: of the first, the oldest is pruned; of the other, the third was mistaken. `ids` are those of
 * the first workspace, oldest first.
 */
export async function auditedPlace() {
  const place = placeOf(await newSigner());
  const ids = await publishHistory(place);
  await pruneSnapshots(place, { workspaceId, keep: [{ newest: 3 }], isDryRun: false });
  const { snapshotIds } = await withdrawSnapshots(place, {
    workspaceId: otherId,
    which: { reference: '2026-11-09' },
    reason: 'mistaken',
  });
  return { place, ids, mistakenId: snapshotIds[0]! };
}

export async function verified(
  place: Pick<Place, 'store' | 'origin' | 'trust'>,
  options: Partial<VerifyOptions> = {},
): Promise<VerifyReport> {
  return await verifyStore(place.store, {
    identity: place,
    now: Date.UTC(2026, 11, 20),
    ...options,
  });
}

export function kindsOf<Kind extends ProblemKind | NoteKind>(findings: readonly Finding<Kind>[]): Kind[] {
  return [...new Set(findings.map(({ kind }) => kind))].toSorted();
}

/** Changes one bit. */
export function flip(objects: Objects, key: string, at: number): void {
  const bytes = Buffer.from(objects.get(key)!);
  bytes[at] = bytes[at]! ^ 1;
  objects.set(key, bytes);
}

/** True for objects of the log that newer ones replaced: readers of the newest checkpoint do not need them. */
export async function supersededIn({
  store,
  lake,
  origin,
  trust,
}: Pick<Place, 'store' | 'lake' | 'origin' | 'trust'>): Promise<(key: string) => boolean> {
  const view = (await readLog(store, { origin, trust }))!;
  const newest = new Set([
    headsKey((await readCommitted(lake, origin))!.heads),
    ...[...view.heads].map(([id, history]) => historyKey(id, history)),
    // As long as the log has fewer than 256 entries.
    ...['0', 'entries'].map((level) => `${TILES}${level}/000.p/${view.checkpoint.size}`),
  ]);
  return (key) => /^(?:heads|log\/tile)\/|\/histories\//.test(key) && !newest.has(key);
}

export async function entriesIn({ store }: Place): Promise<LogEntry[]> {
  const { size } = (await readCheckpoint(store))!;
  return (await Array.fromAsync(readEntries(store, size))).map(({ entry }) => entry as LogEntry);
}

/** Replaces the log by one of these entries, encoded or not, with all its tiles. */
export function writeLog(
  { objects: { store }, origin }: Place,
  entries: readonly (LogEntry | Buffer)[],
  by: Signer,
): void {
  for (const key of store.keys()) if (key.startsWith(TILES)) store.delete(key);
  const encoded = entries.map((entry) => (Buffer.isBuffer(entry) ? entry : encodeEntry(entry)));
  const { objects, edge } = growLog(emptyLogEdge, encoded);
  for (const { key, bytes } of objects) store.set(key, Buffer.from(bytes));
  const head = { origin, size: edge.size, root: rootOfEdge(edge) };
  store.set(CHECKPOINT_KEY, Buffer.from(formatNote(signedHead(head, [by]).note)));
}
