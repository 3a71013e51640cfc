import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../lib/failure.ts';
import { openNames } from './facts/names.ts';
import type { NamesSources } from './facts/names.ts';
import { stabilityDocument } from './stability.ts';
import type { StabilityRows } from './stability.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A brand, with the rows that its document is made from; without them only its names for the base are wanted. */
export interface Question {
  brandId: string;
  rows: StabilityRows | null;
}

/** In the order of the questions. A failure keeps its kind, which a copied error loses. */
export type Answer =
  { document: Bytes | null; packed: Bytes | null } | { error: unknown; isFailure: boolean };

const namesOf = openNames(workerData as NamesSources);

parentPort!.on('message', (question: Question) => {
  const answer = answerTo(question);
  const bytes = 'error' in answer ? [] : [answer.document, answer.packed].filter((each) => each !== null);
  parentPort!.postMessage(
    answer,
    bytes.map((each) => each.buffer),
  );
});

function answerTo({ brandId, rows }: Question): Answer {
  try {
    const merged = namesOf(brandId);
    const document =
      rows === null ? null : new TextEncoder().encode(stabilityDocument(rows, merged?.names ?? null));
    const packed = merged?.packed ?? null;
    // A buffer of its own: what Node gives may be part of a pool, which must not leave with it.
    return { document, packed: packed === null ? null : Uint8Array.from(packed) };
  } catch (error) {
    return { error, isFailure: error instanceof Failure };
  }
}
