import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../lib/failure.ts';
import { openNames } from './facts/names.ts';
import type { NamesSources } from './facts/names.ts';
import { stabilityDocument } from './stability.ts';
import type { StabilityRows } from './stability.ts';

/** Asks for the document of a brand, or, with null, for the end of it all. */
export type Question = StabilityRows | null;

/** In the order of the questions. A failure keeps its kind, which a copied error loses. */
export type Answer = { bytes: Uint8Array<ArrayBuffer> | null } | { error: unknown; isFailure: boolean };

const names = openNames(workerData as NamesSources);

parentPort!.on('message', (question: Question) => {
  const answer = answerTo(question);
  parentPort!.postMessage(answer, 'bytes' in answer && answer.bytes !== null ? [answer.bytes.buffer] : []);
});

function answerTo(question: Question): Answer {
  try {
    if (question !== null) {
      const text = stabilityDocument(question, names.of(question.brand.id));
      return { bytes: new TextEncoder().encode(text) };
    }
    names.finish();
    return { bytes: null };
  } catch (error) {
    return { error, isFailure: error instanceof Failure };
  }
}
