import { errorBody } from '../../lib/errors.ts';
import type { Outcome } from './load.ts';
import type { Published } from './published.ts';

/** From a kill until all parts respond again. */
export interface Outage {
  from: number;
  to: number;
}

export interface Verdict {
  statuses: Set<number>;
  /** The number of served documents per version. */
  served: number[];
  /** Requests with a 500 or without a response that no outage explains. */
  unexplained: string[];
  /** Responses that the snapshots, the rules of the API or the state of the key do not allow. */
  wrong: string[];
}

/** Judges every response by itself. A 500, or no response, is not wrong, but must be explained by an outage. */
export function judge(
  outcomes: readonly Outcome[],
  versions: readonly Published[],
  outages: readonly Outage[],
): Verdict {
  const unexplained = outcomes.filter(
    (outcome) => isError(outcome.status) && !outages.some((outage) => isWithin(outcome, outage)),
  );
  const wrong = outcomes.flatMap((outcome) => {
    const complaint = complaintAbout(outcome, versions);
    return complaint === null ? [] : [`${outcome.ask.path}: ${complaint}`];
  });
  return {
    statuses: new Set(outcomes.map(({ status }) => status)),
    served: versions.map(
      (published) =>
        outcomes.filter(
          ({ ask, status, headers }) =>
            status === 200 &&
            published.get(ask.document!.workspaceId)?.snapshotId === headers['x-snapshot-id'],
        ).length,
    ),
    unexplained: unexplained.map(
      ({ ask, sentAt, doneAt, status, trouble }) =>
        `${new Date(sentAt).toISOString()} to ${new Date(doneAt).toISOString()}: ${trouble ?? status} ${ask.path}`,
    ),
    wrong,
  };
}

const isWithin = ({ sentAt, doneAt }: Outcome, { from, to }: Outage): boolean =>
  sentAt <= to && doneAt >= from;

const isError = (status: number) => status === 500 || status === 0;

function complaintAbout(outcome: Outcome, versions: readonly Published[]): string | null {
  const { ask, status, headers, text, tag } = outcome;
  if (status === 0) return null;
  if (status !== 500 && !ask.expected.includes(status)) return `status ${status}`;
  const hasAllowance = 'x-ratelimit-limit' in headers && 'x-ratelimit-reset' in headers;
  if (hasAllowance !== [200, 304, 429].includes(status)) return `X-RateLimit headers on ${status}`;
  if (status === 429 && !(Number(headers['retry-after']) >= 1)) return 'no Retry-After on 429';
  if (status === 200) return complaintAboutDocument(outcome, versions);
  if (status === 304) return headers.etag === tag ? null : 'a 304 with another tag';
  return errorBody.safeParse(parsed(text ?? '')).success
    ? null
    : `status ${status} without the body of an error`;
}

/** A document of the old or the new snapshot must have the hash in that snapshot's manifest, and its id. */
function complaintAboutDocument(
  { ask, headers, sha256 }: Outcome,
  versions: readonly Published[],
): string | null {
  const { workspaceId, path } = ask.document!;
  const snapshotId = headers['x-snapshot-id'];
  const version = versions.find((published) => published.get(workspaceId)?.snapshotId === snapshotId);
  if (version === undefined) return `a snapshot that was not published, ${String(snapshotId)}`;
  const isPublished = version.get(workspaceId)!.documents.get(path) === sha256;
  return isPublished ? null : `a body that snapshot ${String(snapshotId)} does not hold`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The admitted requests of a limited workspace in one minute of the database's clock. */
export interface Minute {
  endsAt: number;
  given: number;
  /** Requests above the allowance: the database may forget this number of counts when it is killed. */
  forgiven: number;
}

/**
 * The database writes counts to the disk within three times its `wal_writer_delay` (200 ms), not with each response. If
 * it is killed, it forgets the last ones. This value is generous, for a busy machine.
 */
const FORGOTTEN_MS = 2000;

/** 200 and 304 responses of limited keys, by the minute in the response. */
export function minutesOf(outcomes: readonly Outcome[], databaseKilledAt: number): Minute[] {
  const given = outcomes.filter(({ ask, status }) => ask.isLimited && (status === 200 || status === 304));
  const minutes = Map.groupBy(given, ({ headers }) => Number(headers['x-ratelimit-reset']));
  return [...minutes].map(([endsAt, all]) => {
    const forgotten = all.filter(
      ({ sentAt, doneAt }) => sentAt <= databaseKilledAt && doneAt >= databaseKilledAt - FORGOTTEN_MS,
    );
    return { endsAt, given: all.length, forgiven: forgotten.length };
  });
}
