import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { isCount } from '../notes/checkpoint.ts';
import { CHECKPOINT_KEY } from '../../layout.ts';
import { consistencyProof } from '../tree/merkle.ts';
import { COSIGNATURE_BYTES, NOTE_BYTES_MAX, formatNote, parseSignatureLines } from '../notes/note.ts';
import type { NoteSignature } from '../notes/note.ts';
import { readCheckpoint, tileReader } from '../read.ts';
import { hashReader } from '../tree/tiles.ts';

/** What a witness or a time-stamp authority did. */
export interface StampOutcome {
  from: string;
  /** Why it did nothing; null if the head is cosigned or stamped. */
  failure: string | null;
}

/** What one of them did: the others, and the job, go on if it fails. */
export async function outcomeOf(from: string, work: () => Promise<void>): Promise<StampOutcome> {
  try {
    await work();
    return { from, failure: null };
  } catch (error) {
    return { from, failure: reasonOf(error) };
  }
}

/** A slow witness must not delay a nightly job. */
const REQUEST_MS = 10_000;
/** Keys of one witness: its responses must not make the checkpoint larger than readers accept. */
const MOST_LINES = 4;
const LENGTHS = new Set<number>(Object.values(COSIGNATURE_BYTES));

/**
 * Sends the store's checkpoint to the witness at each URL (c2sp.org/tlog-witness). Adds each cosignature to the checkpoint,
 * in place of an older one of the same key. A witness that fails is reported, and asked again by the next append.
 */
export async function collectCosignatures(
  store: ObjectStore,
  urls: readonly string[],
  request: typeof fetch = fetch,
): Promise<StampOutcome[]> {
  for (;;) {
    const checkpoint = await readCheckpoint(store);
    if (checkpoint === null || urls.length === 0) return [];
    const { origin, note, version } = checkpoint;
    const added: NoteSignature[] = [];
    const ask = async (url: string) =>
      await outcomeOf(url, async () => {
        const lines = await askWitness(store, checkpoint, url, request);
        // A signature line in the log's own name would make readers reject the checkpoint.
        added.push(...lines.filter(({ keyName }) => keyName !== origin));
      });
    const outcomes = await Promise.all(urls.map(ask));
    const names = new Set(added.map(nameOf));
    const signatures = [...note.signatures.filter((line) => !names.has(nameOf(line))), ...added];
    const bytes = Buffer.from(formatNote({ text: note.text, signatures }));
    if (bytes.length > NOTE_BYTES_MAX)
      throw new Failure(`${CHECKPOINT_KEY} has too many cosignatures: name fewer witnesses`);
    // False if another append has replaced it: a witness that knows the newer one refuses this one.
    const isCurrent =
      added.length > 0
        ? await store.swap(CHECKPOINT_KEY, bytes, version)
        : (await readCheckpoint(store))?.version === version;
    if (isCurrent) return outcomes;
  }
}

/** @throws Failure that says why the witness did not cosign. */
async function askWitness(
  store: ObjectStore,
  checkpoint: Checkpoint,
  url: string,
  request: typeof fetch,
): Promise<NoteSignature[]> {
  const send = async (old: number) =>
    await request(`${url.replace(/\/+$/, '')}/add-checkpoint`, {
      method: 'POST',
      body: await requestBody(store, checkpoint, old),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
  // A witness that refuses returns the size that it knows, so no state about witnesses is stored here.
  let response = await send(0);
  if (response.status === 409) {
    const known = (await textOf(response)).trim();
    if (!isCount(known)) throw new Failure('it refused with 409 and no tree size');
    if (Number(known) > checkpoint.size)
      throw new Failure(
        `it has seen a tree of ${known} entries, and this log has ${checkpoint.size}: a fork?`,
      );
    response = await send(Number(known));
  }
  const text = await textOf(response);
  if (response.status === 422)
    throw new Failure('it says that this log is not the one that it saw before (422)');
  if (response.status !== 200) throw new Failure(`it responded with status ${response.status}`);
  const lines = parseSignatureLines(text) ?? [];
  const usable = lines.filter((line) => LENGTHS.has(line.bytes.length));
  const own = [...new Map(usable.map((line) => [nameOf(line), line])).values()].slice(0, MOST_LINES);
  if (own.length === 0) throw new Failure('it responded without a cosignature that can be used');
  return own;
}

async function requestBody(store: ObjectStore, checkpoint: Checkpoint, old: number): Promise<string> {
  const read = hashReader(checkpoint.size, tileReader(store));
  const proof = await consistencyProof(old, checkpoint.size, read);
  const lines = [`old ${old}`, ...proof.map((hash) => hash.toString('base64')), ''];
  return `${lines.join('\n')}\n${formatNote(checkpoint.note)}`;
}

async function textOf(response: Response): Promise<string> {
  return (await readBody(response)).toString('utf8');
}

const MOST_BODY_BYTES = 64 * 1024;

/** The body of a response of a witness or a time-stamp authority. @throws Failure if it is longer than 64 KiB. */
export async function readBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > MOST_BODY_BYTES) throw new Failure(`the response is longer than ${MOST_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function nameOf({ keyName, keyId }: NoteSignature): string {
  return `${keyName}+${keyId}`;
}
