import { readConfig } from '../../../lib/config.ts';
import type { Config } from '../../../lib/config.ts';
import { reasonOf } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { cosignedKey, stampedHeadKey, timestampKey } from '../../layout.ts';
import { formatNote } from '../notes/note.ts';
import { readCheckpoint } from '../read.ts';
import { askAuthority } from '../timestamps.ts';
import { collectCosignatures } from './cosignatures.ts';
import type { Witness } from './cosignatures.ts';

/** What a witness or a time-stamp authority did. */
export interface StampOutcome {
  from: string;
  /** Why it did nothing; null if the head is cosigned or stamped. */
  failure: string | null;
}

/**
 * Collects cosignatures and a time stamp of the store's checkpoint, and keeps a cosigned copy. Publishing never waits for
 * them: it does not throw, and every run tries again.
 */
export async function collectStamps(
  store: ObjectStore,
  { WITNESS_URLS = [], TIMESTAMP_URL }: Pick<Config, 'WITNESS_URLS' | 'TIMESTAMP_URL'>,
  witnesses: readonly Witness[] = WITNESS_URLS.map((url) => ({ url, key: null })),
  request: typeof fetch = fetch,
): Promise<StampOutcome[]> {
  if (witnesses.length === 0 && TIMESTAMP_URL === undefined) return [];
  try {
    const cosigned = await collectCosignatures(store, witnesses, request);
    await keepCosigned(store);
    const stamped = TIMESTAMP_URL === undefined ? [] : [await stamp(store, TIMESTAMP_URL, request)];
    return [...cosigned.map(({ url, failure }) => ({ from: url, failure })), ...stamped];
  } catch (error) {
    return [{ from: store.url, failure: reasonOf(error) }];
  }
}

/** As {@link collectStamps}, by the settings, at the end of a command that appended to the log: failures are warnings. */
export async function stampNewHead(store: ObjectStore): Promise<void> {
  for (const { from, failure } of await collectStamps(store, readConfig()))
    if (failure !== null)
      process.stderr.write(`sightline: ${from} did not stamp the head of the log: ${failure}\n`);
}

/** The next commit replaces the checkpoint and its cosignatures: a copy lets an auditor judge this head later. */
async function keepCosigned(store: ObjectStore): Promise<void> {
  const checkpoint = await readCheckpoint(store);
  if (checkpoint === null || checkpoint.note.signatures.length < 2) return;
  const bytes = Buffer.from(formatNote(checkpoint.note));
  await store.create(cosignedKey(checkpoint.size, sha256(bytes)), bytes);
}

async function stamp(store: ObjectStore, authority: string, request: typeof fetch): Promise<StampOutcome> {
  try {
    const checkpoint = await readCheckpoint(store);
    if (checkpoint === null) return { from: authority, failure: 'the store has no checkpoint' };
    const { size, note } = checkpoint;
    const key = timestampKey(size, authority);
    if ((await store.get(key)) !== null) return { from: authority, failure: null };
    const head = Buffer.from(note.text);
    const reply = await askAuthority(authority, head, request);
    await store.create(stampedHeadKey(size), head);
    await store.create(key, reply);
    return { from: authority, failure: null };
  } catch (error) {
    return { from: authority, failure: reasonOf(error) };
  }
}
