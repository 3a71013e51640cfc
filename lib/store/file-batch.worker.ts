import { answerInTurn } from '../thread.ts';
import { fileBatch } from './file-batch.ts';
import type { FileBatch, NamedFiles } from './file-batch.ts';

/** What to do with which batch; the first step begins it, `name` and `discard` end it. */
export type Question = { batch: number } & (WriteStep | { step: 'written' | 'name' | 'discard' });

interface WriteStep {
  step: 'write';
  files: readonly { file: string; bytes: number }[];
  /** The bytes of all files, one after the other. */
  memory: SharedArrayBuffer;
}

/** Of `written` and `name`, what the batch returns. */
export type Answer = string[] | NamedFiles | null;

const batches = new Map<number, FileBatch>();

answerInTurn((question: Question): Answer => {
  const batch = batches.get(question.batch) ?? fileBatch();
  batches.set(question.batch, batch);
  switch (question.step) {
    case 'write':
      batch.write(apart(question));
      break;
    case 'written':
      return batch.written();
    case 'name': {
      const named = batch.name(); // where it throws, the batch is still there to be discarded
      batches.delete(question.batch);
      return named;
    }
    case 'discard':
      batches.delete(question.batch);
      batch.discard();
  }
  return null;
});

function apart({ files, memory }: WriteStep) {
  let end = 0;
  return files.map(({ file, bytes }) => {
    end += bytes;
    return { file, bytes: new Uint8Array(memory, end - bytes, bytes) };
  });
}
