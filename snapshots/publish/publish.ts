import pMap from 'p-map';
import { systemClock } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import { formats } from '../../lib/store/formats.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readHead } from './head.ts';
import type { Head, HeadOptions } from './head.ts';
import { historyKey, inputsKey, manifestKeys, pointerKey, snapshotPrefix } from '../layout.ts';
import { encodeHistory, encodeInputs, encodeManifest, encodePointer, snapshotIdOf } from '../manifest.ts';
import type { Inputs, Link, Manifest, ManifestCompleteness } from '../manifest.ts';
import { readDocument } from '../read.ts';
import type { CurrentPointer } from '../read.ts';
import { remember } from './remembered.ts';
import { createExactly, signManifest, writeReceipt } from './sign.ts';

export interface PublishedDocument {
  /** The path inside the snapshot, as in snapshots/layout.ts. */
  path: string;
  bytes: Buffer;
}

/** A snapshot to publish: its documents, and what they were computed from. */
export interface Publication extends Pick<
  Manifest,
  'workspaceId' | 'asOf' | 'methodologyVersion' | 'codeVersion' | 'duckdbVersion'
> {
  workspaceName?: string | null;
  completeness?: ManifestCompleteness | null;
  /** The lake objects that were read. */
  inputs: Inputs;
  documents: readonly PublishedDocument[];
}

export interface PublishOptions extends HeadOptions {
  /** Gives the time of publication. */
  clock?: Clock | undefined;
}

export interface Published {
  snapshotId: string;
  /** False if this snapshot was already the current one. */
  isNew: boolean;
  documents: number;
  bytes: number;
}

const READS_AT_ONCE = 16;

/**
 * Publishes a snapshot of one workspace: documents, then inputs, history and manifest, then the pointer by
 * compare-and-swap. All but the pointer is created once and never written again, so readers see the old snapshot
 * or the new one, complete, no matter when a process is killed. Publishing the same content again does nothing: it
 * keeps its publication time. If two publications run at once, the later one links to the earlier. The head is verified
 * before anything is linked to it.
 * @param options without a signer, the snapshot is not signed
 * @throws Failure, before anything is written, if the head must not be continued (see {@link readHead}).
 */
export async function publishSnapshot(
  store: ObjectStore,
  publication: Publication,
  options: PublishOptions = {},
): Promise<Published> {
  return await publishUnless<never>(store, publication, () => null, options);
}

/**
 * As {@link publishSnapshot}, unless there is an objection.
 * @param objectionTo Judges the head that the snapshot would replace (null: there is none), again whenever another
 * publication has moved it. Null: no objection.
 * @returns the objection, if there is one: then the pointer has not been moved
 */
export async function publishUnless<Objection>(
  store: ObjectStore,
  publication: Publication,
  objectionTo: (current: Manifest | null) => Objection | null,
  options: PublishOptions,
): Promise<Published | Objection> {
  const { workspaceId } = publication;
  const content = contentOf(publication);
  const published = {
    snapshotId: content.snapshotId,
    documents: content.documents.length,
    bytes: content.documents.reduce((sum, document) => sum + document.bytes, 0),
  };
  let receipted: string | null = null;
  // Kept as long as the pointer is the refused one: once the adopted head is recorded, that may seem to come after it.
  let adopted: HeadRead | null = null;
  // Writing documents may take minutes, so the pointer is read again before the new snapshot links to it.
  for (let documentsAreThere = false; ; documentsAreThere = true) {
    const read = await readHead(store, workspaceId, options);
    const isTheSame: boolean = adopted !== null && read.pointer?.version === adopted.pointer?.version;
    const current: HeadRead = isTheSame ? adopted! : read;
    const { pointer, head } = current;
    const objection = objectionTo(head?.manifest ?? null);
    if (objection !== null) return objection;
    if (head !== null && head.link.manifestSha256 !== receipted) {
      await writeReceipt(store, workspaceId, head.link);
      receipted = head.link.manifestSha256;
      const isAdopted = pointer?.manifestSha256 !== receipted;
      if (isAdopted) adopted = current;
      const { sequence } = head.manifest;
      await remember(options.heads, store, workspaceId, { sequence, ...head.link }, isAdopted);
    }
    if (isCurrentOrBehind(published.snapshotId, pointer, head)) return { ...published, isNew: false };
    if (!documentsAreThere) {
      await writeDocuments(store, content, publication.documents);
      await createExactly(store, inputsKey(content.inputs), encodeInputs(publication.inputs));
    } else if (await publishOnto(store, content, pointer, head, options)) {
      return { ...published, isNew: true };
    }
  }
}

type HeadRead = Awaited<ReturnType<typeof readHead>>;

type Content = Omit<Manifest, 'sequence' | 'publishedAt' | 'signedBy' | 'previous' | 'history'>;

/** The part of the manifest that does not depend on the publication time, the previous snapshot and the signer. */
function contentOf(publication: Publication): Content {
  const documents = publication.documents
    .map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256(bytes) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    format: formats.store,
    workspaceId: publication.workspaceId,
    workspaceName: publication.workspaceName ?? null,
    snapshotId: snapshotIdOf({ ...publication, documents }),
    asOf: publication.asOf,
    methodologyVersion: publication.methodologyVersion,
    codeVersion: publication.codeVersion,
    duckdbVersion: publication.duckdbVersion,
    completeness: publication.completeness ?? null,
    inputs: sha256(encodeInputs(publication.inputs)),
    documents,
  };
}

/** True if the snapshot is current. An adopted head is not current yet: the pointer must move back onto its chain. */
function isCurrentOrBehind(snapshotId: string, pointer: CurrentPointer | null, head: Head | null): boolean {
  if (head === null || pointer?.manifestSha256 !== head.link.manifestSha256) return false;
  return head.history.some((past) => past.snapshotId === snapshotId);
}

async function writeDocuments(
  store: ObjectStore,
  manifest: Pick<Manifest, 'workspaceId' | 'snapshotId' | 'documents'>,
  documents: readonly PublishedDocument[],
): Promise<void> {
  const prefix = snapshotPrefix(manifest.workspaceId, manifest.snapshotId);
  const created = await store.createMany(
    documents.map(({ path, bytes }) => ({ key: `${prefix}${path}`, bytes })),
  );
  // Existing documents are from a publication that was killed. Check that they have the expected bytes.
  const left = new Set(documents.filter((_, index) => created[index] === false).map(({ path }) => path));
  await pMap(
    manifest.documents.filter(({ path }) => left.has(path)),
    (document) => readDocument(store, manifest, document),
    { concurrency: READS_AT_ONCE },
  );
}

/** Writes the manifest and moves the pointer to it. False if another publication moved the pointer meanwhile. */
async function publishOnto(
  store: ObjectStore,
  content: Content,
  pointer: CurrentPointer | null,
  head: Head | null,
  { signer, heads, clock = systemClock }: PublishOptions,
): Promise<boolean> {
  const { workspaceId, snapshotId } = content;
  const history = head === null ? null : encodeHistory(head.history);
  const sequence = (head?.manifest.sequence ?? 0) + 1;
  const bytes = encodeManifest({
    ...content,
    sequence,
    publishedAt: notBefore(clock.now(), head),
    signedBy: signer?.fingerprint ?? null,
    previous: head?.link ?? null,
    history: history === null ? null : sha256(history),
  });
  if (history !== null)
    await createExactly(store, historyKey(workspaceId, snapshotId, sha256(history)), history);
  await placeManifest(store, content, bytes);
  if (signer !== undefined) await signManifest(store, content, bytes, signer);
  const link: Link = { snapshotId, manifestSha256: sha256(bytes) };
  if (!(await store.swap(pointerKey(workspaceId), encodePointer(link), pointer?.version ?? null)))
    return false;
  await writeReceipt(store, workspaceId, link);
  await remember(heads, store, workspaceId, { sequence, ...link }, false);
  return true;
}

/** Now, or the time of the previous snapshot if the clock was set back: times must not decrease along the chain. */
function notBefore(now: number, head: Head | null): string {
  const time = new Date(now).toISOString();
  const previous = head?.manifest.publishedAt ?? '';
  return previous > time ? previous : time;
}

/**
 * If a publication that was killed, or lost the race for the pointer, has taken `manifest.json`, the manifest gets an
 * alternate key with its hash. Replacing `manifest.json` is not safe: a job that is paused between reading the pointer
 * and replacing would destroy a manifest that another job has published meanwhile.
 */
async function placeManifest(
  store: ObjectStore,
  { workspaceId, snapshotId }: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
  bytes: Buffer,
): Promise<void> {
  const [usual, alternate] = manifestKeys(workspaceId, snapshotId, sha256(bytes));
  if (await store.create(usual, bytes)) return;
  if ((await store.get(usual))?.bytes.equals(bytes) !== true) await createExactly(store, alternate, bytes);
}
