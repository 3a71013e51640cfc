/** One kind of finding: what it means, and what to do first. */
interface Kind {
  meaning: string;
  remedy: string;
}

/** The problems that verify reports. docs/auditing.md has this table; the command prints the remedies. */
export const problemKinds = {
  altered: {
    meaning: 'The bytes of an object are not the published ones.',
    remedy: 'Put it back from a copy, or from what rebuild computes; check it with the hash in the manifest.',
  },
  swapped: {
    meaning: 'A document has the bytes of another one.',
    remedy: 'Put both back from a copy.',
  },
  missing: {
    meaning: 'An object that was published is gone.',
    remedy: 'Put it back from a copy, or from what rebuild computes.',
  },
  extra: {
    meaning: 'The store contains an object that no manifest lists and no command writes.',
    remedy: 'Find out who wrote it, then remove it.',
  },
  rewritten: {
    meaning: 'A manifest is not the one that the chain names.',
    remedy: 'Stop the job and put the manifest back from a copy.',
  },
  unsigned: {
    meaning: 'A manifest or tombstone that must be signed is not.',
    remedy: 'Check whether a job ran without SIGNING_KEY_FILE. If not, someone else wrote it.',
  },
  foreign_key: {
    meaning: 'A manifest or tombstone is signed with a key that is not trusted.',
    remedy: 'If the key is an older one of yours, add its public key. If not, someone else wrote it.',
  },
  wrong_signature: {
    meaning: 'A signature does not match the object next to it.',
    remedy: 'Put the signature back from a copy.',
  },
  retired_key: {
    meaning: 'A key signed a snapshot after another key had replaced it.',
    remedy: 'Check whether a job still has the old key. If not, the old key was stolen.',
  },
  rolled_back: {
    meaning: 'The pointer names a snapshot that is not the newest.',
    remedy: 'Replace the pointer by a copy of the receipt of the newest snapshot.',
  },
  forked: {
    meaning: 'A published snapshot is not in the chain.',
    remedy: 'Stop the job, and find out with a copy which of the two chains is yours.',
  },
  gap: {
    meaning: 'A manifest that the chain links to does not exist.',
    remedy: 'Put the manifest back from a copy.',
  },
  replaced: {
    meaning: 'The newest snapshot that the state file recorded is no longer in the chain.',
    remedy: 'Someone rewrote or removed history. Compare with a copy of the store from that time.',
  },
  pruned_current: {
    meaning: 'The current snapshot has a tombstone; prune never removes it.',
    remedy: 'Remove the tombstone, and put the documents back from a copy or a rebuild.',
  },
  log_missing: {
    meaning: 'The transparency log that the state file recorded is gone.',
    remedy: 'Put log/ back from a copy, with log/checkpoint last.',
  },
  log_damaged: {
    meaning: 'The tiles, entries and checkpoint of the log do not match.',
    remedy: 'Put log/ back from a copy; every tile is immutable.',
  },
  log_unsigned: {
    meaning: 'The checkpoint of the log is not signed with a trusted key.',
    remedy: 'Run log append; if it refuses, someone else wrote the checkpoint.',
  },
  log_rewritten: {
    meaning: 'The log does not continue the log that the state file recorded.',
    remedy: 'Keep the state file. Together with this checkpoint it proves that history was rewritten.',
  },
  log_without_quorum: {
    meaning: 'The checkpoint lacks the cosignatures that the policy requires.',
    remedy: 'Run log append again; if a witness refuses, ask its operator why.',
  },
  logged_not_published: {
    meaning: 'The log names a snapshot that is not in its chain.',
    remedy: 'Someone rewrote or removed history. Compare with a copy of the store.',
  },
  published_not_logged: {
    meaning: 'A snapshot older than the last append is not in the log.',
    remedy: 'Run log append; if it refuses the workspace, its history was rewritten.',
  },
  no_snapshots: {
    meaning: 'The store has no snapshots at all.',
    remedy: 'Check STORE_URL and what is mounted there. Before the first week, use --allow-empty.',
  },
} as const satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof problemKinds;

/** The notes that verify reports. None of them is a sign of tampering. */
export const noteKinds = {
  unpublished: {
    meaning: 'A publication was killed, was overtaken, or is still running.',
    remedy: 'Nothing. prune --unpublished removes it; run it only while no job runs.',
  },
  no_receipt: {
    meaning: 'The newest publication was killed just before its last step, or is still running.',
    remedy: 'Nothing. The next publication completes it.',
  },
  pruned: {
    meaning: 'The documents of this snapshot were removed on purpose.',
    remedy: 'Nothing, if you pruned it.',
  },
  unsigned_tombstone: {
    meaning: 'The documents of this snapshot were removed, and the tombstone is not signed.',
    remedy: 'Ask the operator. If snapshots are signed, tombstones are signed too.',
  },
  pruning_unfinished: {
    meaning: 'Pruning was killed, or is still running.',
    remedy: 'Run prune again.',
  },
  unsigned_history: {
    meaning: 'Not signed, but older than the first signed snapshot, whose hash chain covers it.',
    remedy: 'Nothing.',
  },
  retired_key_history: {
    meaning:
      'Signed with a key that is not trusted, but the hash chain of a newer, trusted snapshot covers it.',
    remedy: 'Nothing, if you changed keys.',
  },
  not_logged_yet: {
    meaning: 'Published since the last append to the log.',
    remedy: 'Nothing. The next log append adds it.',
  },
  append_unfinished: {
    meaning: 'The log has tiles beyond its head: an append was killed, or is still running.',
    remedy: 'Nothing. The next log append completes it.',
  },
  log_cosigned: {
    meaning: 'A witness of the policy cosigned this head of the log.',
    remedy: 'Nothing.',
  },
  time_stamped: {
    meaning: 'A time-stamp authority stamped this head of the log.',
    remedy: 'Nothing. Check the time stamp with openssl ts -verify (docs/auditing.md).',
  },
  signatures_not_checked: {
    meaning: 'Snapshots are signed, but no public key was given.',
    remedy: 'Give --public-key or set PUBLIC_KEY_FILE.',
  },
} as const satisfies Record<string, Kind>;

export type NoteKind = keyof typeof noteKinds;

export interface Finding<FindingKind> {
  kind: FindingKind;
  workspaceId: string | null;
  snapshotId: string | null;
  /** The as-of time of the first affected snapshot; null if unknown. */
  since: string | null;
  /** The keys of the objects affected. */
  objects: string[];
  message: string;
}

export interface Findings {
  problems: Finding<ProblemKind>[];
  notes: Finding<NoteKind>[];
}

/** Adds findings of one workspace to a list. */
export interface Reporter {
  problem(kind: ProblemKind, objects: readonly string[], message: string, snapshot?: SnapshotRef): void;
  note(kind: NoteKind, objects: readonly string[], message: string, snapshot?: SnapshotRef): void;
}

export interface SnapshotRef {
  snapshotId: string;
  asOf: string | null;
}

/** The message for an object whose key no command writes. */
export const UNKNOWN = 'no command writes an object with this name';

/** @param workspaceId null for objects that belong to no workspace */
export function reporter(workspaceId: string | null, findings: Findings): Reporter {
  const finding = <FindingKind>(
    kind: FindingKind,
    objects: readonly string[],
    message: string,
    snapshot?: SnapshotRef,
  ) => ({
    kind,
    workspaceId,
    snapshotId: snapshot?.snapshotId ?? null,
    since: snapshot?.asOf ?? null,
    objects: [...objects],
    message,
  });
  return {
    problem: (...described) => void findings.problems.push(finding(...described)),
    note: (...described) => void findings.notes.push(finding(...described)),
  };
}
