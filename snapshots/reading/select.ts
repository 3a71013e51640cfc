import { isStanding, lastOfEachWeek as lastStanding, mondayOf } from '../../lib/weeks/weeks.ts';
import { Failure } from '../../lib/failure.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import { compareText } from '../../lib/methodology/text.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readHistory } from '../log/follow.ts';
import type { LogView } from '../log/follow.ts';
import { asOf, currentOf } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import type { Manifest } from '../manifest.ts';
import { readManifest } from '../read.ts';

export { mondayOf as weekOf };

/** A store, and its verified log. */
export interface LoggedStore {
  store: ObjectStore;
  log: LogView;
}

/** A published snapshot: what the log says of it, and its manifest. */
export interface Entry {
  publication: Publication;
  manifest: Manifest;
}

/** Names a snapshot: an id or its beginning, a date, `current`, `previous`; or by the day of its as-of time. */
export type Reference = string | { asOf: string };

/** The part of the help texts that explains references. */
export const ID_HELP = `Name a snapshot by its id or the beginning of it, by a date (YYYY-MM-DD: the snapshot that was current at the end of
that day, UTC), or by current or previous (the last one of an earlier week).`;
/** For commands that also take `--as-of`. */
export const REFERENCE_HELP = `${ID_HELP}
--as-of DATE selects the snapshot computed as of that day, or else the last one before it.`;

/** The publications of a workspace. @throws Failure if the log has none, or the history cannot be read. */
export async function readPublications({ store, log }: LoggedStore, workspaceId: string): Promise<History> {
  const history = await readHistory(store, log, workspaceId);
  if (history !== null) return history;
  throw new Failure(`the log of ${store.url} has no snapshot of workspace ${workspaceId}`);
}

/** The manifest of a published snapshot. @throws Failure if it is gone, or not the one that the log names. */
export async function readEntry(
  store: ObjectStore,
  workspaceId: string,
  publication: Publication,
): Promise<Entry> {
  return { publication, manifest: await readManifest(store, workspaceId, publication) };
}

/** The snapshot that a reference names. @throws Failure if there is none, or more than one. */
export async function resolveSnapshot(
  logged: LoggedStore,
  workspaceId: string,
  reference: Reference,
): Promise<Entry> {
  const history = await readPublications(logged, workspaceId);
  return await readEntry(logged.store, workspaceId, choose(history, reference));
}

/** The publication that a reference names. @throws Failure if it names none, or more than one. */
export function choose(history: History, reference: Reference): Publication {
  const { workspaceId } = history;
  if (typeof reference !== 'string') return chooseAsOf(history, reference.asOf);
  const found = candidates(history, reference);
  if (found.length === 1) return found[0]!;
  if (found.length !== 0) {
    const ids = found.map(({ snapshotId }) => snapshotId).join(', ');
    throw new Failure(`${reference} is the beginning of several snapshots: ${ids}`);
  }
  if (/^\d{4}-/.test(reference) && !isDate(reference))
    throw new Failure(`${reference} is not a date; a date is written like 2026-11-16`);
  if (/^\d{1,7}$/.test(reference))
    throw new Failure(`${reference} is too short: an id needs at least its first 8 characters`);
  throw new Failure(`workspace ${workspaceId} has no snapshot ${reference}; the list command shows them`);
}

function candidates(history: History, reference: string): Publication[] {
  const { publications } = history;
  if (reference === 'current') return [currentOf(history) ?? []].flat();
  if (reference === 'previous') return oneAWeek(history).slice(1, 2);
  if (isDate(reference)) return [currentOn(history, reference) ?? []].flat();
  if (reference.length < 8) return [];
  return publications.filter(({ snapshotId }) => snapshotId.startsWith(reference));
}

/** The snapshot that was current at the end of a day (UTC). */
export function currentOn({ publications }: History, day: string): Publication | undefined {
  return publications.findLast(
    ({ publishedAt, withdrawn }) =>
      publishedAt.slice(0, 10) <= day &&
      (withdrawn === null || withdrawn.reason === 'pruned' || withdrawn.at.slice(0, 10) > day),
  );
}

function chooseAsOf(history: History, day: string): Publication {
  const until = newestFirst(history).filter((each) => isStanding(each) && each.asOf.slice(0, 10) <= day);
  const [found] = until.toSorted((a, b) => compareText(b.asOf, a.asOf));
  if (found !== undefined) return found.publication;
  throw new Failure(`workspace ${history.workspaceId} has no snapshot as of ${day} or before`);
}

/** The publications, as rules about weeks take them. */
function newestFirst({ publications }: History) {
  return publications.toReversed().map((publication) => ({
    asOf: asOf(publication),
    withdrawn: publication.withdrawn?.reason ?? null,
    publication,
  }));
}

/** The current snapshot, and the last published one of each earlier week, by as-of time, newest first. */
export function oneAWeek(history: History): Publication[] {
  const current = currentOf(history);
  if (current === null) return [];
  const before = mondayOf(asOf(current));
  return [current, ...lastOfEachWeek(history).filter((each) => mondayOf(asOf(each)) < before)];
}

/** The one snapshot of each week, newest week first; pruned ones too. */
export function lastOfEachWeek(history: History): Publication[] {
  return lastStanding(newestFirst(history)).map(({ publication }) => publication);
}

/**
 * The workspace of a command: `named`, or the only one in the log.
 * @throws Failure if the log has none, or several (the message lists them).
 */
export function chooseWorkspace(
  { store, log }: { store: Pick<ObjectStore, 'url'>; log: Pick<LogView, 'heads'> },
  named: string | undefined,
): string {
  if (named !== undefined) return named;
  const workspaces = [...log.heads.keys()].toSorted();
  if (workspaces.length === 1) return workspaces[0]!;
  if (workspaces.length === 0) throw new Failure(`${store.url} contains no snapshots`);
  const some = workspaces.slice(0, 5).join(', ');
  const others = workspaces.slice(5);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new Failure(`name one of the ${workspaces.length} workspaces with --workspace: ${some}${more}`);
}
