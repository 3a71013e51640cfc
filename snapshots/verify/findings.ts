import { isLeftByOthers, isNamedByHash, readKey } from '../layout.ts';

/** One kind of finding: what it means, and what to do first. */
interface Kind {
  meaning: string;
  remedy: string;
}

const REPAIR = '"audit log complete" writes it again from the lake.';
const COPY = '"audit log complete --from COPY" writes it again from a copy of the store';
const REBUILD = `${COPY}, or "audit rebuild --repair" computes it; or "audit withdraw --reason lost".`;
const NAMED = `"audit log complete" writes heads and histories again; for the others ${COPY}.`;

/** The problems that verify reports; the command prints what they mean and their remedies. */
export const problemKinds = {
  log_missing: {
    meaning: 'The store has no checkpoint, and something was published.',
    remedy: REPAIR,
  },
  log_unsigned: {
    meaning: 'The checkpoint is not signed with a trusted key, or a signature on it is wrong.',
    remedy: `Check which key you trust. If it is the right one: ${REPAIR}`,
  },
  log_damaged: {
    meaning: 'A part of the log is missing or altered, or its entries break a rule.',
    remedy: REPAIR,
  },
  log_rewritten: {
    meaning: 'The log does not continue a checkpoint that was seen before: it was set back or rewritten.',
    remedy:
      'Keep both checkpoints: they prove it. Ask the operator (docs/auditing.md, Getting back to Intact).',
  },
  log_in_future: {
    meaning: 'The newest entry is dated more than five minutes after the time of this computer.',
    remedy:
      'Check this clock. If it is right, the clock of a job was ahead: begin a new log (docs/auditing.md).',
  },
  log_old: {
    meaning: 'The newest publication is older than --not-older-than allows.',
    remedy: 'Ask the operator whether the weekly job runs. A frozen copy of the store looks the same.',
  },
  altered: {
    meaning: 'The bytes of a document are not the published ones.',
    remedy: REBUILD,
  },
  swapped: {
    meaning: 'A document has the bytes of another one.',
    remedy: REBUILD,
  },
  missing: {
    meaning: 'A document that was published is gone.',
    remedy: REBUILD,
  },
  named_altered: {
    meaning: 'A manifest, a history, heads or a list of inputs is not the one that the log names.',
    remedy: NAMED,
  },
  named_missing: {
    meaning: 'A manifest, a history, heads or a list of inputs that the log names is gone.',
    remedy: NAMED,
  },
  extra: {
    meaning: 'The store contains an object that nothing names and no command writes.',
    remedy: 'Find out who wrote it, then remove it.',
  },
  no_snapshots: {
    meaning: 'Nothing was published.',
    remedy: 'Check --store; before the first week, use --allow-empty.',
  },
} as const satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof problemKinds;

/** The notes that verify reports; docs/auditing.md explains them. None of them is a sign of tampering. */
export const noteKinds = [
  'pruned',
  'lost',
  'mistaken',
  'removed',
  'deletion_unfinished',
  'unpublished',
] as const;

export type NoteKind = (typeof noteKinds)[number];

export interface Finding<FindingKind> {
  kind: FindingKind;
  workspaceId: string | null;
  snapshotId: string | null;
  /** The keys of the objects affected. */
  objects: string[];
  /** What the object must have, if something names it by its hash; otherwise null. */
  sha256: string | null;
  message: string;
}

/** What a finding is about, if it is about a workspace. */
export interface About {
  workspaceId?: string;
  snapshotId?: string;
  /** What the object must have. */
  sha256?: string;
}

/** Collects what a verification finds. */
export class Reporter {
  readonly problems: Finding<ProblemKind>[] = [];
  readonly notes: Finding<NoteKind>[] = [];
  /** What a newer version wrote, in words. Hashes were compared all the same. */
  readonly newer = new Set<string>();
  /** Keys that nothing names, and that a publication may have left. */
  readonly unpublished: string[] = [];
  readonly checked = {
    logEntries: 0,
    workspaces: 0,
    /** Snapshots whose manifests were compared. */
    snapshots: 0,
    documents: 0,
    bytes: 0,
  };

  problem(kind: ProblemKind, objects: readonly string[], message: string, about?: About): void {
    this.problems.push(findingOf(kind, objects, message, about));
  }

  note(kind: NoteKind, objects: readonly string[], message: string, about?: About): void {
    this.notes.push(findingOf(kind, objects, message, about));
  }

  /** Keys that nothing names: a problem, unless a publication may have left them. */
  unnamed(keys: readonly string[], about?: About): void {
    const extra: string[] = [];
    for (const key of keys.filter((each) => !isLeftByOthers(each)))
      (isNamedByHash(key) || readKey(key) !== null ? this.unpublished : extra).push(key);
    if (extra.length > 0) this.problem('extra', extra, 'no command writes an object with this name', about);
  }
}

function findingOf<FindingKind>(
  kind: FindingKind,
  objects: readonly string[],
  message: string,
  about?: About,
): Finding<FindingKind> {
  return {
    kind,
    workspaceId: about?.workspaceId ?? null,
    snapshotId: about?.snapshotId ?? null,
    objects: [...objects],
    sha256: about?.sha256 ?? null,
    message,
  };
}
