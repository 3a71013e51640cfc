import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock, Timer } from '../../lib/clock.ts';
import { decodeJson } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

const leaseSchema = z.object({
  format: z.literal(1),
  /** A token of one run; null after it was released. */
  holder: z.string().nullable(),
  host: z.string(),
  pid: z.number(),
  /** How long no other process takes it, from when they see these bytes for the first time. */
  ttlMs: z.number().int().positive(),
  renewedAt: z.iso.datetime(),
});
type LeaseText = z.infer<typeof leaseSchema>;

export interface Lease {
  /** Aborted, with a {@link Failure}, when it is lost. */
  signal: AbortSignal;
  /** Frees it for others, if it is not lost. */
  release(): Promise<void>;
}

/** Who holds it, for messages: `host, process 123`. */
export interface HeldByOther {
  holder: string;
}

export interface LeaseOptions {
  store: ObjectStore;
  key: string;
  ttlMs: number;
  clock: Clock;
  timer: Timer;
  host: string;
  pid: number;
}

/**
 * Takes a lease by compare-and-swap. A lease of another process is taken over if it has not been renewed for as long as
 * it says, **as seen from here**: no two machines' clocks are compared. So `acquire` must be called again from time to
 * time while it returns another holder.
 */
export function leaseTaker(options: LeaseOptions): { acquire(): Promise<Lease | HeldByOther> } {
  const { clock } = options;
  let seen: { version: string; since: number } | null = null;
  return {
    async acquire() {
      const found = await look(options);
      if (found !== null && found.text.holder !== null) {
        if (seen?.version !== found.version) seen = { version: found.version, since: clock.now() };
        if (clock.now() - seen.since < found.text.ttlMs) return heldBy(found.text);
      }
      const lease = await take(options, found?.version ?? null);
      if (lease !== null) return lease;
      const faster = await look(options);
      return faster === null ? { holder: 'nobody any more' } : heldBy(faster.text);
    },
  };
}

function heldBy({ host, pid }: LeaseText): HeldByOther {
  return { holder: `${host}, process ${pid}` };
}

async function take(options: LeaseOptions, expected: string | null): Promise<Lease | null> {
  const { ttlMs, clock, timer } = options;
  const token = randomUUID();
  let heldUntil = clock.now() + ttlMs;
  let version = await place(options, token, expected);
  if (version === null) return null;
  const lost = new AbortController();
  const over = new AbortController();
  const renewing = (async () => {
    while (!lost.signal.aborted) {
      await timer.wait(ttlMs / 4, over.signal);
      if (over.signal.aborted) return;
      const from = clock.now();
      // After an error the store may respond again before the lease ends.
      const renewed: string | null | undefined = await place(options, token, version).catch(() => undefined);
      if (typeof renewed === 'string') [version, heldUntil] = [renewed, from + ttlMs];
      if (renewed === null || clock.now() >= heldUntil) lost.abort(lostLease(options));
    }
  })();
  return {
    signal: lost.signal,
    async release() {
      over.abort();
      await renewing;
      if (!lost.signal.aborted) await place(options, token, version, true);
    },
  };
}

function lostLease({ store, key }: LeaseOptions): Failure {
  return new Failure(
    `the lease ${store.url}/${key} was lost: it was not renewed in time, or another process took it`,
  );
}

/**
 * Writes the lease, and returns its version if it is then as we wrote it, otherwise null. A write that is repeated
 * because its response was lost is refused, although the first one succeeded: so what is stored counts.
 */
async function place(
  { store, key, ttlMs, clock, host, pid }: LeaseOptions,
  token: string,
  expected: string | null,
  isReleased = false,
): Promise<string | null> {
  const renewedAt = new Date(clock.now()).toISOString();
  const text: LeaseText = { format: 1, holder: isReleased ? null : token, host, pid, ttlMs, renewedAt };
  const bytes = Buffer.from(`${JSON.stringify(text)}\n`);
  for (let version = expected; ;) {
    await store.swap(key, bytes, version);
    const there = await store.get(key);
    if (there?.bytes.equals(bytes)) return there.version;
    // An earlier write of ours, which was done although it failed: its version was not known here.
    const isOurs = there !== null && there.version !== version && there.bytes.includes(token);
    if (!isOurs) return null;
    version = there.version;
  }
}

async function look({ store, key }: LeaseOptions) {
  const object = await store.get(key);
  if (object === null) return null;
  const text = decodeJson(object.bytes, leaseSchema, `${store.url}/${key}`, 'is not a lease');
  return { version: object.version, text };
}
