import type { Published } from '../../../snapshots/publish/publisher.ts';

/** What became of a workspace: its snapshot was published, or was before, or why it keeps the one that it has. */
export type Outcome = Unpublished | (Published & { workspaceId: string });

export interface Unpublished {
  workspaceId: string;
  /**
   * - `failed`: an error; a later run tries it again
   * - `incomplete`: less of its week was delivered than is required
   * - `stale`: its tracker is silent; reported as unpublished only if that is so of every workspace of the run that has brands
   * - `shrunk`: less than half of its brands would be left
   * - `untracked`: it is no longer tracked
   * - `future`: its snapshot is as of an instant that has not come
   * - `newer`: it has a snapshot as of later, or the operator withdrew this very one
   */
  reason: 'failed' | 'incomplete' | 'stale' | 'shrunk' | 'untracked' | 'future' | 'newer';
  /** One line; a defect has its stack too. */
  message: string;
  /** Present if the store or the lake could not be reached. */
  isUnreachable?: true;
}

/** True if nothing was decided for any workspace, because the store or the lake could not be reached. */
export function isOutage(unpublished: readonly Unpublished[], workspaces: number): boolean {
  return unpublished.length === workspaces && unpublished.every((each) => each.isUnreachable === true);
}

/** Workspaces that were not published because of the same thing, such as one full disk, in their order. */
export interface Cause extends Pick<Unpublished, 'reason'> {
  workspaceIds: string[];
  /** One line. */
  message: string;
}

export function causesOf(unpublished: readonly Unpublished[]): Cause[] {
  const byText = Map.groupBy(unpublished, ({ reason, message }) => `${reason} ${message}`);
  return [...byText.values()].map((same) => ({
    workspaceIds: same.map(({ workspaceId }) => workspaceId),
    reason: same[0]!.reason,
    message: same[0]!.message.split('\n')[0]!,
  }));
}

const NAMED = 3;

/** One line that names the first unpublished workspaces and causes; null if all were published. */
export function unpublishedText(unpublished: readonly Unpublished[], workspaces: number): string | null {
  if (unpublished.length === 0) return null;
  const causes = causesOf(unpublished).map(
    ({ workspaceIds, message }) => `${firstOf(workspaceIds, ', ')}: ${message}`,
  );
  return `${unpublished.length} of ${workspaces} workspaces were not published: ${firstOf(causes, '; ')}`;
}

function firstOf(texts: readonly string[], separator: string): string {
  const more = texts.length > NAMED ? [`and ${texts.length - NAMED} more`] : [];
  return [...texts.slice(0, NAMED), ...more].join(separator);
}
