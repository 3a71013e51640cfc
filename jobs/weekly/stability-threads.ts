import { Worker } from 'node:worker_threads';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { createNamesFile, openNamesFile } from './facts/names-file.ts';
import type { NamesSources } from './facts/names.ts';
import type { StabilityRows } from './stability.ts';
import type { Answer, Question } from './stability.worker.ts';

type Answered = Exclude<Answer, { error: unknown }>;

/** Writes the stability documents, more than half of all the work, while this thread does the rest. */
export interface StabilityThreads {
  /** Once for each brand. @throws Failure where a names file is damaged. */
  document(rows: StabilityRows): Promise<Buffer>;
  /** Adds the brands that have no document to the new base, which is whole then. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param names what the documents are made from
 * @param basePath where a new base is written; null: nowhere
 */
export function startStability(
  names: Omit<NamesSources, 'packs'>,
  basePath: string | null,
  threads: number,
): StabilityThreads {
  const sources: NamesSources = { ...names, packs: basePath !== null };
  const all = Array.from({ length: threads }, () => startThread(sources));
  const base = basePath === null ? null : createNamesFile(basePath);
  let asked = 0;
  const ask = async (question: Question): Promise<Answered> => {
    const answer = await all[asked++ % threads]!.ask(question);
    if (answer.packed !== null) base?.add(question.brandId, Buffer.from(answer.packed.buffer));
    return answer;
  };
  return {
    async document({ brand, prompts, competitors }) {
      const { document } = await ask({ brandId: brand.id, rows: { brand, prompts, competitors } });
      return Buffer.from(document!.buffer, document!.byteOffset, document!.byteLength);
    },
    async finish() {
      if (base === null) return;
      const left = brandsIn(names).filter((brandId) => !base.has(brandId));
      for (const brandId of left) await ask({ brandId, rows: null });
      base.finish();
    },
    async close() {
      base?.close();
      await Promise.all(all.map((thread) => thread.end()));
    },
  };
}

function brandsIn({ files }: Pick<NamesSources, 'files'>): string[] {
  const ids = files.flatMap(({ path }) => {
    const file = openNamesFile(path);
    file.close();
    return file.brandIds;
  });
  return [...new Set(ids)];
}

/** A thread that answers questions in turn; no pool from a library, because it holds files open. */
function startThread(sources: NamesSources) {
  const worker = new Worker(new URL('stability.worker.ts', import.meta.url), { workerData: sources });
  const waiting: PromiseWithResolvers<Answered>[] = [];
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    for (const question of waiting.splice(0)) question.reject(ended);
  };
  worker.on('message', (answer: Answer) => {
    const question = waiting.shift()!;
    if (!('error' in answer)) question.resolve(answer);
    else question.reject(answer.isFailure ? failureLike(answer.error) : answer.error);
  });
  worker.on('error', end).on('exit', () => end(new Error('a thread for stability documents has ended')));
  return {
    async ask(question: Question): Promise<Answered> {
      if (ended !== null) throw ended;
      const answered = Promise.withResolvers<Answered>();
      waiting.push(answered);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      worker.postMessage(question);
      return await answered.promise;
    },
    async end(): Promise<void> {
      await worker.terminate();
    },
  };
}

function failureLike(error: unknown): Failure {
  return new Failure(reasonOf(error), { cause: error });
}
