import { errorBody } from '../../lib/errors.ts';
import type { Outcome } from './load.ts';
import type { Published } from './published.ts';

/** From a kill until everything answers again. */
export interface Outage {
  what: string;
  from: number;
  to: number;
}

export interface Verdict {
  requests: number;
  statuses: Record<string, number>;
  /** Documents that were served of each version. */
  served: number[];
  /** Requests answered with 500 or not at all, and those of them that no outage explains. */
  errors: number;
  /** Of the errors, those during each outage. */
  during: number[];
  unexplained: string[];
  /** Answers that no snapshot, no rule of the API or no state of its key allows. */
  wrong: string[];
}

/** Judges every answer by itself. A 500, or none, is not wrong, but has to be explained by an outage. */
export function judge(
  outcomes: readonly Outcome[],
  versions: readonly Published[],
  outages: readonly Outage[],
): Verdict {
  const errors = outcomes.filter(({ status }) => isError(status));
  const unexplained = errors.filter((error) => !outages.some((outage) => isWithin(error, outage)));
  const wrong = outcomes.flatMap((outcome) => {
    const complaint = complaintAbout(outcome, versions);
    return complaint === null ? [] : [`${outcome.ask.path}: ${complaint}`];
  });
  const statuses = Map.groupBy(outcomes, ({ status }) => String(status));
  return {
    requests: outcomes.length,
    statuses: Object.fromEntries([...statuses].map(([status, all]) => [status, all.length])),
    served: versions.map(
      (published) =>
        outcomes.filter(
          ({ ask, status, headers }) =>
            status === 200 &&
            published.get(ask.document!.workspaceId)?.snapshotId === headers['x-snapshot-id'],
        ).length,
    ),
    errors: errors.length,
    during: outages.map((outage) => errors.filter((error) => isWithin(error, outage)).length),
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

/** A document of the old snapshot or of the new one, as its snapshot's manifest lists it, under that snapshot's id. */
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

/** What a limited workspace was given in one minute of the database's clock. */
export interface Minute {
  endsAt: number;
  given: number;
  /** More than its allowance: the database may forget so many counts when it dies. */
  forgiven: number;
}

/**
 * Counts of the database are written to the disk within three times its `wal_writer_delay` (200 ms), not with each
 * answer; when it dies it forgets those of the last moments. This is generous, for a machine that is busy.
 */
const FORGOTTEN_MS = 2000;

/** 200 and 304 of limited keys, by the minute that their answer names. */
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
