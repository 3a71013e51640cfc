import { routes } from '../../lib/documents/routes.ts';
import { sha256 } from '../../lib/hash.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { ask } from '../gateway/ask.ts';
import type { Answer } from '../gateway/ask.ts';
import { until } from '../support/until.ts';

/** For each workspace, the SHA-256 of each document by its path, as the manifest of its current snapshot lists them. */
export type Published = Map<string, { snapshotId: string; documents: Map<string, string> }>;

export interface Outcome {
  workspaceId: string;
  /** The path of the document in a snapshot. */
  path: string;
  /** Milliseconds since the Unix epoch. */
  sentAt: number;
  doneAt: number;
  /** Null: there was no response. */
  answer: Answer | null;
  /** The entity tag in If-None-Match. */
  tag: string | undefined;
}

export interface Load {
  readonly outcomes: readonly Outcome[];
  /** Resolves after this number of further responses. */
  more(answers: number): Promise<void>;
  /** Stops sending, and resolves when all requests have a response. */
  stop(): Promise<void>;
}

/**
 * Clients request documents at random every few milliseconds, half of them with the tag that they got before, and without
 * waiting for responses.
 * @param keys a key of each workspace
 */
export function startLoad(
  base: string,
  everyMs: number,
  published: Published,
  keys: ReadonlyMap<string, string>,
): Load {
  const tags = new Map<string, string>();
  const outcomes: Outcome[] = [];
  const requests: Promise<void>[] = [];
  const send = async () => {
    const [workspaceId, key] = pick([...keys]);
    const path = pick([...published.get(workspaceId)!.documents.keys()]);
    const tag = requests.length % 2 === 0 ? tags.get(workspaceId + path) : undefined;
    const headers = ['X-API-Key', key, ...(tag === undefined ? [] : ['If-None-Match', tag])];
    const sentAt = Date.now();
    const answer = await ask(base, routeOf(path), { headers }).catch(() => null);
    outcomes.push({ workspaceId, path, sentAt, doneAt: Date.now(), answer, tag });
    if (answer?.status === 200) tags.set(workspaceId + path, answer.headers.etag!);
  };
  const timer = setInterval(() => requests.push(send()), everyMs);
  return {
    outcomes,
    async more(answers) {
      const enough = outcomes.length + answers;
      await until(() => outcomes.length >= enough);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(requests);
    },
  };
}

/** The route of a document, by its path in a snapshot. */
function routeOf(path: string): string {
  return path === BRANDS_PATH ? routes.listBrands.path : `/api/v1/${path.replace('.json', '')}`;
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)]!;
}

/**
 * What is wrong with a response: null for a document of one of the versions with the hash in its manifest, for a 304 with
 * the tag of the request, and for an error or no response within an outage.
 */
export function complaintAbout(
  { workspaceId, path, sentAt, doneAt, answer, tag }: Outcome,
  versions: readonly Published[],
  outages: readonly { from: number; to: number }[],
): string | null {
  const sent = `${new Date(sentAt).toISOString()} ${path}`;
  if (answer === null || answer.status === 500)
    return outages.some(({ from, to }) => sentAt <= to && doneAt >= from) ? null : `${sent}: not explained`;
  if (answer.status === 304) return answer.headers.etag === tag ? null : `${sent}: a 304 with another tag`;
  const snapshotId = answer.headers['x-snapshot-id'];
  const version = versions.find((published) => published.get(workspaceId)!.snapshotId === snapshotId);
  const hash = version?.get(workspaceId)!.documents.get(path);
  return answer.status === 200 && hash === sha256(answer.body)
    ? null
    : `${sent}: status ${answer.status}, a body that snapshot ${String(snapshotId)} does not hold`;
}
