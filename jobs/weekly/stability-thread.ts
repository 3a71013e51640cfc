import { Worker } from 'node:worker_threads';
import { Failure, reasonOf } from '../../lib/failure.ts';
import type { NamesSources } from './facts/names.ts';
import type { StabilityRows } from './stability.ts';
import type { Answer, Question } from './stability.worker.ts';

/** Writes the stability documents, half of all the work, while this thread does the rest. */
export interface StabilityThread {
  /** Once for each brand. @throws Failure where a names file is damaged. */
  document(rows: StabilityRows): Promise<Buffer>;
  /** Waits until the new base is whole. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** One thread with files that it holds open: a pool is for tasks that any thread can do. */
export function startStability(names: NamesSources): StabilityThread {
  const worker = new Worker(new URL('stability.worker.ts', import.meta.url), { workerData: names });
  const waiting: PromiseWithResolvers<Uint8Array | null>[] = [];
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    for (const question of waiting.splice(0)) question.reject(ended);
  };
  worker.on('message', (answer: Answer) => {
    const question = waiting.shift()!;
    if ('bytes' in answer) question.resolve(answer.bytes);
    else question.reject(answer.isFailure ? failureLike(answer.error) : answer.error);
  });
  worker.on('error', end).on('exit', () => end(new Error('the thread for stability documents has ended')));
  const ask = async (question: Question): Promise<Uint8Array | null> => {
    if (ended !== null) throw ended;
    const answered = Promise.withResolvers<Uint8Array | null>();
    waiting.push(answered);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    worker.postMessage(question);
    return await answered.promise;
  };
  return {
    async document({ brand, prompts, competitors }) {
      const bytes = (await ask({ brand, prompts, competitors }))!;
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    async finish() {
      await ask(null);
    },
    async close() {
      await worker.terminate();
    },
  };
}

function failureLike(error: unknown): Failure {
  return new Failure(reasonOf(error), { cause: error });
}
