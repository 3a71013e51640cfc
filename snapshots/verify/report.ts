import type { TreeHead } from '../log/notes/checkpoint.ts';
import type { Policy } from '../log/notes/policy.ts';
import type { Reference } from '../audit/select.ts';
import type { Link } from '../manifest.ts';
import type { Trust } from '../signing.ts';
import type { Findings } from './findings.ts';
import type { Subset } from './workspace/documents.ts';

/** The newest snapshot of a workspace, as the state file records it for the next verification. */
export interface Head extends Link {
  workspaceId: string;
}

export interface VerifyOptions {
  /** Checks only this workspace; if absent, all of the store. */
  workspaceId?: string | undefined;
  /** Checks only the documents of this snapshot, and the whole chain. */
  snapshot?: Reference | undefined;
  /** The trusted keys; null: signatures are not checked. */
  trust: Trust | null;
  /** The newest snapshot of each workspace in the state file: it must still be in the chain. */
  seen?: readonly Head[] | undefined;
  /** Heads that the log must continue: of the state file, and of checkpoints that the auditor kept. */
  seenLogs?: readonly TreeHead[] | undefined;
  /** The witnesses whose cosignatures the log's checkpoint needs. */
  policy?: Policy | undefined;
  /** Checks only this part of the documents of older snapshots. */
  subset?: Subset | undefined;
  /** Accepts a store without any snapshot. */
  allowEmpty?: boolean | undefined;
  /** Called once with the number of workspaces, then after each. */
  onStart?: (workspaces: number) => void;
  onWorkspace?: () => void;
}

export interface VerifyReport extends Findings {
  /** True if there is no problem. */
  isIntact: boolean;
  checked: {
    workspaces: number;
    snapshots: number;
    documents: number;
    bytes: number;
    signatures: number;
    /** The number of entries of the transparency log. */
    logEntries: number;
  };
  /** The head of the log; null if there is none, the store is not intact, or one workspace was looked at. */
  log: TreeHead | null;
  /** Empty if the store is not intact: then they must not be recorded as trusted. */
  heads: Head[];
}
