import type { TreeHead } from '../log/notes/checkpoint.ts';
import type { Policy } from '../log/notes/policy.ts';
import type { Reference } from '../audit/select.ts';
import type { Link } from '../manifest.ts';
import type { Trust } from '../signing.ts';
import type { Findings } from './findings.ts';
import type { Subset } from './workspace/documents.ts';

/** The newest snapshot of a workspace, as an auditor writes it down to compare with the next time. */
export interface Head extends Link {
  workspaceId: string;
}

export interface VerifyOptions {
  /** Only this workspace; all that the store holds where it is absent. */
  workspaceId?: string | undefined;
  /** Only the documents of this snapshot, next to the chain that leads to it. */
  snapshot?: Reference | undefined;
  /** The keys of which one must have signed; null: signatures are not checked. */
  trust: Trust | null;
  /** The newest snapshot of each workspace in the state file: it must still be in the chain. */
  seen?: readonly Head[] | undefined;
  /** What the log must continue: the head in the state file, or checkpoints that were kept. */
  seenLogs?: readonly TreeHead[] | undefined;
  /** Whose cosignatures the log's checkpoint needs. */
  policy?: Policy | undefined;
  /** Of the documents of all but the newest snapshots, only this part. */
  subset?: Subset | undefined;
  /** A store without any snapshot is no problem. */
  allowEmpty?: boolean | undefined;
  /** Called once with the number of workspaces, then after each. */
  onStart?: (workspaces: number) => void;
  onWorkspace?: () => void;
}

export interface VerifyReport extends Findings {
  /** True where there is no problem. */
  isIntact: boolean;
  checked: {
    workspaces: number;
    snapshots: number;
    documents: number;
    bytes: number;
    signatures: number;
    /** Entries of the transparency log. */
    logEntries: number;
  };
  /** The head of the log; null where there is none, the store is not intact, or one workspace was looked at. */
  log: TreeHead | null;
  /** Empty where the store is not intact: then nobody should take them for the truth. */
  heads: Head[];
}
