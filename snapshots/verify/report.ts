import type { Fold } from '../log/fold.ts';
import type { LogIdentity } from '../log/follow.ts';
import type { TreeHead } from '../log/notes/checkpoint.ts';
import type { Finding, NoteKind, ProblemKind, Reporter } from './findings.ts';
import type { Subset } from './documents.ts';

/** A checkpoint that was kept: the log must continue it. */
export interface KeptHead {
  head: TreeHead;
  /** Where it was kept, for messages. */
  name: string;
}

export interface VerifyOptions {
  identity: LogIdentity;
  kept?: readonly KeptHead[];
  /** How old the newest publication may be, in milliseconds. */
  notOlderThanMs?: number | undefined;
  /** Reads only the objects of this workspace. The log is always checked whole. */
  workspaceId?: string | undefined;
  /** Chooses one snapshot of the verified log: only its documents are read. @throws Failure if there is none */
  select?: ((fold: Fold) => { workspaceId: string; snapshotId: string }) | undefined;
  /** Reads only this part of the documents of older snapshots. */
  subset?: Subset | undefined;
  /** Compares no documents, only what the log and the manifests name. */
  withoutDocuments?: boolean;
  /** Accepts a store in which nothing was published. */
  allowEmpty?: boolean | undefined;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** Called once with the number of workspaces, then after each. */
  onStart?: (workspaces: number) => void;
  onWorkspace?: () => void;
}

export interface VerifyReport {
  /** True if there is no problem, and this version knows everything that was found. */
  isIntact: boolean;
  problems: readonly Finding<ProblemKind>[];
  notes: readonly Finding<NoteKind>[];
  /** What a newer version wrote, in words: then this one has no verdict. */
  newer: readonly string[];
  /** The workspace that was read, and the snapshot whose documents were; null if all were. */
  scope: { workspaceId: string; snapshotId: string | null } | null;
  /** The part of the documents of older snapshots that was read; null if all were. */
  subset: Subset | null;
  checked: Reporter['checked'];
  /**
   * The head that was verified, its root in hexadecimal, and the times of its newest entry and its newest publication (empty
   * without one); null if there is no log.
   */
  log: { origin: string; size: number; root: string; newestEntryAt: string; publishedAt: string } | null;
  /** The checkpoint as a signed note, to be kept; null if the store is not intact, or one workspace was read. */
  checkpoint: string | null;
}
