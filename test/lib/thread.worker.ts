import { workerData } from 'node:worker_threads';
import { Failure } from '../../lib/failure.ts';
import { answerInTurn } from '../../lib/thread.ts';

/** Answers with what it was told at the start, and fails on demand. */
answerInTurn((question: string) => {
  if (question === 'fail') throw new Failure('told to fail');
  if (question === 'throw') throw new RangeError('told to throw');
  if (question === 'exit') process.exit(3);
  return `${String(workerData)} ${question}`;
});
