import { z } from 'zod';
import { decodeJson } from '../../../lib/decode.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Trust } from '../../signing.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { StateLocation } from '../../verify/state.ts';
import type { Checkpoint, TreeHead } from '../notes/checkpoint.ts';
import { CHECKPOINT_KEY } from '../layout.ts';
import { consistencyProof, isConsistent } from '../tree/merkle.ts';
import { decodeBase64, formatNote } from '../notes/note.ts';
import { readCheckpoint, refuseUnlessSigned, tileReader } from '../read.ts';
import { hashReader } from '../tree/tiles.ts';

/** The state of a witness: the newest head that it accepted, and the signed checkpoint. */
const memorySchema = z.strictObject({
  format: z.literal(1),
  origin: z.string().min(1),
  size: z.int().nonnegative(),
  root: z.base64(),
  /** Evidence: two signed checkpoints that cannot be of one log prove a fork. */
  checkpoint: z.string(),
});
type WitnessMemory = z.infer<typeof memorySchema>;

/** @throws Failure if the bytes are not the state of a witness. */
function decodeMemory(bytes: Buffer, name: string): WitnessMemory {
  return decodeJson(bytes, memorySchema, name, 'is not the state of a witness');
}

interface Witnessed {
  checkpoint: Checkpoint;
  memory: WitnessMemory;
}

/**
 * Looks at a log as {@link witnessLog}, and records its head in the state before it returns: otherwise a crash, or
 * another run, could let the witness cosign a fork later.
 * @returns the checkpoint, and the recorded size of the log before; null at the first run
 * @throws Failure as {@link witnessLog}, and if another run replaced the state meanwhile
 */
export async function witnessOnce(
  store: ObjectStore,
  { store: states, key, name }: StateLocation,
  trust: Trust,
): Promise<{ checkpoint: Checkpoint; sizeBefore: number | null }> {
  const object = await states.get(key);
  const before = object === null ? null : decodeMemory(object.bytes, name);
  const { checkpoint, memory } = await witnessLog(store, before, trust);
  const bytes = Buffer.from(`${JSON.stringify(memorySchema.parse(memory))}\n`);
  if (!(await states.swap(key, bytes, object?.version ?? null)))
    throw new Failure(`${name} was replaced by another run of witness meanwhile; run it again`);
  return { checkpoint, sizeBefore: before?.size ?? null };
}

/**
 * Reads the log's checkpoint and checks that the log only grew since the recorded head.
 * @param trust the checkpoint must be signed with one of these keys
 * @throws Failure for a fork, a log that shrank, another log, or a checkpoint without a trusted signature.
 */
async function witnessLog(
  store: ObjectStore,
  memory: WitnessMemory | null,
  trust: Trust,
): Promise<Witnessed> {
  const checkpoint = await readCheckpoint(store);
  const name = `${store.url}/${CHECKPOINT_KEY}`;
  if (checkpoint === null) throw new Failure(`${name} is missing`);
  refuseUnlessSigned(checkpoint, trust, name);
  if (memory !== null) await refuseFork(store, memory, checkpoint, name);
  const { origin, size, root } = checkpoint;
  const note = formatNote(checkpoint.note);
  return {
    checkpoint,
    memory: { format: 1, origin, size, root: root.toString('base64'), checkpoint: note },
  };
}

async function refuseFork(
  store: ObjectStore,
  memory: WitnessMemory,
  checkpoint: TreeHead,
  name: string,
): Promise<void> {
  if (checkpoint.origin !== memory.origin)
    throw new Failure(`${name} is of the log ${checkpoint.origin}; the state is of ${memory.origin}`);
  const older = { size: memory.size, root: decodeBase64(memory.root) ?? Buffer.alloc(0) };
  if (checkpoint.size < older.size)
    throw new Failure(
      `${name} has ${checkpoint.size} entries, and had ${older.size} before: the log was rolled back`,
    );
  const read = hashReader(checkpoint.size, tileReader(store));
  const proof = await consistencyProof(older.size, checkpoint.size, read);
  if (!isConsistent(older, checkpoint, proof))
    throw new Failure(
      `${name} does not continue the log of ${older.size} entries that was seen before: it was rewritten (a fork).` +
        ' Keep the state file: it contains the signed checkpoint that proves it',
    );
}
