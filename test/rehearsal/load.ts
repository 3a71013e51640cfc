import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../../lib/hash.ts';

/** A request of the rehearsal, and its allowed responses without an outage. */
export interface Ask {
  path: string;
  key: string;
  /** For 200 and 304: the workspace of the document, and its path in a snapshot. */
  document: { workspaceId: string; path: string } | null;
  expected: readonly number[];
  isLimited: boolean;
}

export interface Outcome {
  ask: Ask;
  /** Milliseconds since the Unix epoch. */
  sentAt: number;
  doneAt: number;
  /** 0: no response; the reason is in `trouble`. */
  status: number;
  trouble: string | null;
  headers: IncomingHttpHeaders;
  /** The SHA-256 of the body, and the body itself if it is not a document. */
  sha256: string;
  text: string | null;
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

/** Sends requests at a constant rate per second, without waiting for responses, until it is stopped. */
export function startLoad(base: string, perSecond: number, next: () => Ask): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const tags = new Map<string, string>();
  const outcomes: Outcome[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  const began = performance.now();
  const send = async () => {
    const ask = next();
    const known = tags.get(ask.path + ask.key);
    const outcome = await one(agent, base, ask, sent % 2 === 0 ? known : undefined);
    if (outcome.status === 200 && outcome.headers.etag) tags.set(ask.path + ask.key, outcome.headers.etag);
    outcomes.push(outcome);
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    for (; sent < due; sent += 1) {
      const sending = send();
      open.add(sending);
      void sending.finally(() => open.delete(sending));
    }
  }, 5);
  return {
    outcomes,
    async more(answers) {
      const enough = outcomes.length + answers;
      while (outcomes.length < enough) await sleep(10);
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}

async function one(agent: Agent, base: string, ask: Ask, tag: string | undefined): Promise<Outcome> {
  const sentAt = Date.now();
  const headers = {
    'x-api-key': ask.key,
    'accept-encoding': 'identity',
    ...(tag === undefined ? {} : { 'if-none-match': tag }),
  };
  return await new Promise<Outcome>((resolve) => {
    const end = (outcome: Omit<Outcome, 'ask' | 'sentAt' | 'doneAt' | 'tag'>) =>
      resolve({ ask, sentAt, doneAt: Date.now(), tag, ...outcome });
    const failed = (error: Error) =>
      end({ status: 0, trouble: error.message, headers: {}, sha256: '', text: null });
    const outgoing = request(`${base}${ask.path}`, { agent, headers });
    outgoing.on('error', failed);
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode!;
      buffer(incoming).then(
        (body) =>
          end({
            status,
            trouble: null,
            headers: incoming.headers,
            sha256: sha256(body),
            text: status === 200 ? null : body.toString(),
          }),
        failed,
      );
    });
    outgoing.end();
  });
}
