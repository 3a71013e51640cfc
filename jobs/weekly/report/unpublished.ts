import { z } from 'zod';

/**
 * Why a workspace keeps the snapshot that it has:
 * - `failed`: an error; a later run tries it again
 * - `incomplete`: less of its newest week was delivered than is required
 * - `stale`: its tracker is silent; listed only if that is so of every workspace of the run
 * - `shrunk`: less than half of its brands would be left
 * - `untracked`: it is no longer tracked
 * - `future`: its snapshot is as of an instant that has not come
 */
const reasonSchema = z.enum(['failed', 'incomplete', 'stale', 'shrunk', 'untracked', 'future']);

export const unpublishedSchema = z.object({
  workspaceId: z.string(),
  reason: reasonSchema,
  /** One line; a defect has its stack too. */
  message: z.string(),
  /** Present if the store or the lake could not be reached. */
  isUnreachable: z.literal(true).optional(),
});
export type Unpublished = z.infer<typeof unpublishedSchema>;

/** True if nothing was decided for any workspace, because the store or the lake could not be reached. */
export function isOutage(unpublished: readonly Unpublished[], workspaces: number): boolean {
  return unpublished.length === workspaces && unpublished.every((each) => each.isUnreachable === true);
}

const NAMED = 3;

/** One line that names the first unpublished workspaces; null if all were published. */
export function unpublishedText(unpublished: readonly Unpublished[], workspaces: number): string | null {
  if (unpublished.length === 0) return null;
  const named = unpublished
    .slice(0, NAMED)
    .map(({ workspaceId, message }) => `${workspaceId}: ${message.split('\n')[0]}`);
  const more = unpublished.length > NAMED ? `; and ${unpublished.length - NAMED} more` : '';
  return `${unpublished.length} of ${workspaces} workspaces were not published: ${named.join('; ')}${more}`;
}
