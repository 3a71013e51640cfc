import { startThread } from '../../lib/thread.ts';
import { createNamesFile, openNamesFile } from './facts/names-file.ts';
import type { NamesSources } from './facts/names.ts';
import type { StabilityRows } from './stability.ts';
import type { Answer, Question } from './stability.worker.ts';

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
  const all = Array.from({ length: threads }, () =>
    startThread<Question, Answer>(new URL('stability.worker.ts', import.meta.url), { data: sources }),
  );
  const base = basePath === null ? null : createNamesFile(basePath);
  let asked = 0;
  const ask = async (question: Question): Promise<Answer> => {
    const answer = await all[asked++ % threads]!.ask(question);
    if (answer.packed !== null) base?.add(question.brandId, answer.packed);
    return answer;
  };
  return {
    async document(rows) {
      const { document } = await ask({ brandId: rows.brand.id, rows: JSON.stringify(rows) });
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
