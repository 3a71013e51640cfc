import { z } from 'zod';
import { decodeCanonical } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { compareText } from '../../lib/methodology/text.ts';
import {
  asOfOfId,
  count,
  digest,
  encode,
  instant,
  snapshotIdSchema,
  workspaceIdSchema,
} from '../manifest.ts';
import { isWorkspaceEntry, withdrawalReasons } from './entries.ts';
import type {
  LogEntry,
  PublishedEntry,
  WithdrawalReason,
  WithdrawnEntry,
  WorkspaceEntry,
} from './entries.ts';

const publication = z.strictObject({
  sequence: z.number().int().positive(),
  snapshotId: snapshotIdSchema,
  manifestSha256: digest,
  publishedAt: instant,
  methodologyVersion: z.string(),
  brands: count,
  documents: count,
  bytes: count,
  /** Null while it is published. */
  withdrawn: z.strictObject({ at: instant, reason: z.enum(withdrawalReasons) }).nullable(),
});
/** A snapshot that the log has published, and what became of it. */
export type Publication = z.infer<typeof publication>;

const historySchema = z.strictObject({
  format: z.literal(1),
  workspaceId: workspaceIdSchema,
  publications: z.array(publication),
});

/** All publications of a workspace, oldest first: a pure function of its entries in the log. */
export type History = z.infer<typeof historySchema>;

export function emptyHistory(workspaceId: string): History {
  return { format: 1, workspaceId, publications: [] };
}

export function encodeHistory(history: History): Buffer {
  return encode(historySchema, history);
}

/** @throws Failure if the bytes are not a history, or of another workspace. */
export function decodeHistory(bytes: Buffer, workspaceId: string, name: string): History {
  const history = decodeCanonical(bytes, historySchema, name);
  if (history.workspaceId !== workspaceId)
    throw new Failure(`${name} is the history of workspace ${history.workspaceId}`);
  return history;
}

/** The snapshot in service: the newest publication that is not withdrawn; null if there is none. */
export function currentOf({ publications }: History): Publication | null {
  return publications.findLast(({ withdrawn }) => withdrawn === null) ?? null;
}

/** True while the documents are there: neither pruned, nor lost, nor removed. */
export function hasDocuments({ withdrawn }: Publication): boolean {
  return withdrawn === null || withdrawn.reason === 'mistaken';
}

/** True if nothing of a snapshot that was withdrawn for this reason needs to be there any more. */
export function mayBeGone(reason: WithdrawalReason | undefined): boolean {
  return reason === 'lost' || reason === 'removed';
}

export function findPublication({ publications }: History, snapshotId: string): Publication | undefined {
  return publications.find((each) => each.snapshotId === snapshotId);
}

/** The as-of time of a publication, which its id begins with. */
export function asOf({ snapshotId }: Pick<Publication, 'snapshotId'>): string {
  return asOfOfId(snapshotId)!;
}

/** An entry before the hash of the history with it is known. */
type Unhashed<Entry extends WorkspaceEntry> = Omit<Entry, 'history'>;

/** @throws Failure if the entry breaks a rule of the log. */
export function afterUnhashed(
  history: History,
  entry: Unhashed<PublishedEntry> | Unhashed<WithdrawnEntry>,
): History {
  return entry.kind === 'published' ? afterPublished(history, entry) : afterWithdrawn(history, entry);
}

/** @throws Failure if the id was published before, or the sequence is not the next one. */
function afterPublished(
  history: History,
  { at: publishedAt, sequence, snapshotId, ...entry }: Unhashed<PublishedEntry>,
): History {
  const { publications } = history;
  if (findPublication(history, snapshotId) !== undefined)
    throw new Failure(`${snapshotId} is published twice`);
  if (sequence !== publications.length + 1)
    throw new Failure(`${snapshotId} is publication ${sequence} after ${publications.length} others`);
  const { manifestSha256, methodologyVersion, brands, documents, bytes } = entry;
  const described = { methodologyVersion, brands, documents, bytes, withdrawn: null };
  const added = { sequence, snapshotId, manifestSha256, publishedAt, ...described };
  return { ...history, publications: [...publications, added] };
}

/** @throws Failure if the snapshot was never published, or is withdrawn already and no more of it goes. */
function afterWithdrawn(history: History, { at, snapshotId, reason }: Unhashed<WithdrawnEntry>): History {
  const known = findPublication(history, snapshotId);
  if (known === undefined) throw new Failure(`${snapshotId} is withdrawn and was never published`);
  if (known.withdrawn !== null && !isDeeper(reason, known.withdrawn.reason))
    throw new Failure(`${snapshotId} is withdrawn twice`);
  const publications = history.publications.map((each) =>
    each === known ? { ...each, withdrawn: { at, reason } } : each,
  );
  return { ...history, publications };
}

/** How much is gone, by reason. A withdrawn snapshot may be withdrawn again only if more goes. */
const depth: Record<WithdrawalReason, number> = { mistaken: 0, pruned: 1, lost: 2, removed: 3 };

export function isDeeper(reason: WithdrawalReason, than: WithdrawalReason): boolean {
  return depth[reason] > depth[than];
}

/**
 * The history after an entry of the log.
 * @throws Failure if the entry breaks a rule of the log, or names another history than the one that follows from it.
 */
export function afterEntry(history: History, entry: WorkspaceEntry): History {
  const next = afterUnhashed(history, entry);
  if (sha256(encodeHistory(next)) !== entry.history)
    throw new Failure(`the entry of ${entry.snapshotId} names a history that does not follow from the log`);
  return next;
}

/** By workspace: the SHA-256 of its newest history. */
export type Heads = ReadonlyMap<string, string>;

const headsSchema = z.strictObject({ format: z.literal(1), histories: z.record(workspaceIdSchema, digest) });

export function encodeHeads(heads: Heads): Buffer {
  const sorted = [...heads].toSorted(([a], [b]) => compareText(a, b));
  return encode(headsSchema, { format: 1, histories: Object.fromEntries(sorted) });
}

/** Changes heads by an entry. */
export function moveHead(heads: Map<string, string>, entry: LogEntry): void {
  if (isWorkspaceEntry(entry)) heads.set(entry.workspaceId, entry.history);
}

/** @throws Failure if the bytes are not heads in canonical form. */
export function decodeHeads(bytes: Buffer, name: string): Map<string, string> {
  return new Map(Object.entries(decodeCanonical(bytes, headsSchema, name).histories));
}
