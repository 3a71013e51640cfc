/**
 * What the auditor can find wrong. Each has a message of its own; the kind is for programs.
 * - `altered`: other bytes than were published; `swapped`: those of another document
 * - `missing`, `extra`: an object that must be there is not, or the other way round
 * - `rewritten`: a manifest that is not the one the pointer or the next manifest links to
 * - `unsigned`, `foreign key`, `wrong signature`: with keys to trust, a manifest or tombstone that none of them signed
 * - `rolled back`: the pointer names a snapshot that others came after; `forked`: it names another history
 * - `gap`: a link of the chain leads nowhere; `replaced`: what was the newest snapshot earlier is not in the chain now
 */
export type ProblemKind =
  | 'altered'
  | 'swapped'
  | 'missing'
  | 'extra'
  | 'rewritten'
  | 'unsigned'
  | 'foreign key'
  | 'wrong signature'
  | 'rolled back'
  | 'forked'
  | 'gap'
  | 'replaced';

/** What an auditor should know, but is no sign that anybody touched anything. */
export type NoteKind =
  | 'unpublished leftovers'
  | 'no receipt yet'
  | 'pruning unfinished'
  | 'unsigned history'
  | 'signatures not checked';

export interface Finding<Kind> {
  kind: Kind;
  workspaceId: string | null;
  snapshotId: string | null;
  /** The as-of time of that snapshot: documents of that week are the first it concerns. Null where nobody can say. */
  since: string | null;
  /** The keys of the objects concerned. */
  objects: string[];
  message: string;
}

export interface Findings {
  problems: Finding<ProblemKind>[];
  notes: Finding<NoteKind>[];
}

/** Adds findings of one workspace, with what they have in common filled in. */
export interface Reporter {
  problem(kind: ProblemKind, objects: readonly string[], message: string, snapshot?: Concerned): void;
  note(kind: NoteKind, objects: readonly string[], message: string, snapshot?: Concerned): void;
}

export interface Concerned {
  snapshotId: string;
  asOf: string | null;
}

export function reporter(workspaceId: string, findings: Findings): Reporter {
  const finding = <Kind>(kind: Kind, objects: readonly string[], message: string, snapshot?: Concerned) => ({
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
