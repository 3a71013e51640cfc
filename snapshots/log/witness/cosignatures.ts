import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { isCount } from '../notes/checkpoint.ts';
import { CHECKPOINT_KEY } from '../../layout.ts';
import { consistencyProof } from '../tree/merkle.ts';
import {
  COSIGNATURE_BYTES,
  NOTE_BYTES_MAX,
  formatNote,
  isBy,
  judgeNote,
  parseSignatureLines,
} from '../notes/note.ts';
import type { NoteSignature, VerifierKey } from '../notes/note.ts';
import { readBody } from '../read-body.ts';
import { readCheckpoint, tileReader } from '../read.ts';
import { hashReader } from '../tree/tiles.ts';

/** A witness: the URL that takes checkpoints, and its key, if the operator configured one. */
export interface Witness {
  url: string;
  key: VerifierKey | null;
}

export interface WitnessOutcome {
  url: string;
  /** Why it did not cosign; null if it did. */
  failure: string | null;
}

/** A slow witness must not delay a nightly job. */
const REQUEST_MS = 10_000;
/** Keys of one witness: its responses must not make the checkpoint larger than readers accept. */
const MOST_LINES = 4;
const LENGTHS = new Set<number>(Object.values(COSIGNATURE_BYTES));

/**
 * Sends the store's checkpoint to each witness (c2sp.org/tlog-witness) and adds their cosignatures to the checkpoint.
 * A witness that fails is reported, and asked again by the next append.
 */
export async function collectCosignatures(
  store: ObjectStore,
  witnesses: readonly Witness[],
  request: typeof fetch = fetch,
): Promise<WitnessOutcome[]> {
  for (;;) {
    const checkpoint = await readCheckpoint(store);
    if (checkpoint === null || witnesses.length === 0) return [];
    const answers = await Promise.all(
      witnesses.map(async (witness) => {
        try {
          return { witness, lines: await askWitness(store, checkpoint, witness, request), failure: null };
        } catch (error) {
          return { witness, lines: [], failure: reasonOf(error) };
        }
      }),
    );
    const lines = answers.flatMap((answer) => answer.lines);
    if (await keepCosignatures(store, checkpoint, lines))
      return answers.map(({ witness: { url }, failure }) => ({ url, failure }));
    // Another append has published a newer checkpoint: a witness that knows it refuses this one.
  }
}

/** @throws Failure that says why the witness did not cosign. */
async function askWitness(
  store: ObjectStore,
  checkpoint: Checkpoint,
  { url, key }: Witness,
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
  const usable = lines.filter((line) => isCosignature(line) && (key === null || isBy(line, key)));
  const own = [...new Map(usable.map((line) => [nameOf(line), line])).values()].slice(0, MOST_LINES);
  if (own.length === 0) throw new Failure('it responded without a cosignature that can be used');
  if (key !== null && judgeNote({ text: checkpoint.note.text, signatures: own }, key) !== 'valid')
    throw new Failure('its cosignature does not verify');
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

function isCosignature({ bytes }: NoteSignature): boolean {
  return LENGTHS.has(bytes.length);
}

/**
 * Adds cosignatures to the checkpoint, each in place of an older one of the same key. False if another checkpoint has
 * replaced it.
 */
async function keepCosignatures(
  store: ObjectStore,
  asked: Checkpoint,
  added: readonly NoteSignature[],
): Promise<boolean> {
  for (;;) {
    const current = await readCheckpoint(store);
    if (current === null || current.note.text !== asked.note.text) return false;
    if (added.length === 0) return true;
    // A signature line in the log's own name would make readers reject the checkpoint.
    const isOwn = (line: NoteSignature) => line.keyName === asked.origin;
    const usable = added.filter((line) => !isOwn(line));
    const isReplaced = (line: NoteSignature) => usable.some((one) => nameOf(one) === nameOf(line));
    const signatures = [...current.note.signatures.filter((line) => !isReplaced(line)), ...usable];
    const note = formatNote({ text: current.note.text, signatures });
    if (Buffer.byteLength(note) > NOTE_BYTES_MAX)
      throw new Failure(`${CHECKPOINT_KEY} has too many cosignatures: name fewer witnesses`);
    if (await store.swap(CHECKPOINT_KEY, Buffer.from(note), current.version)) return true;
  }
}

function nameOf({ keyName, keyId }: NoteSignature): string {
  return `${keyName}+${keyId}`;
}
