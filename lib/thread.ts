import { parentPort, Worker } from 'node:worker_threads';
import { Failure, reasonOf } from './failure.ts';

/** A thread of this process that answers questions in turn; no pool from a library, because it keeps state. */
export interface Thread<Question, Answer> {
  /** @throws what the answer threw, or that the thread has ended. */
  ask(question: Question): Promise<Answer>;
  end(): Promise<void>;
}

/** A failure keeps its kind, which a copied error loses. */
type Reply<Answer> = { answer: Answer } | { error: unknown; isFailure: boolean };

export interface ThreadOptions {
  /** What the program finds in `workerData`. */
  data?: unknown;
  /** Called once when it is there no more, because it failed or was ended. */
  onEnd?: () => void;
}

/**
 * While it is asked nothing it does not keep the process alive.
 * @param program a module that calls {@link answerInTurn}
 */
export function startThread<Question, Answer>(
  program: URL,
  { data, onEnd }: ThreadOptions = {},
): Thread<Question, Answer> {
  const worker = new Worker(program, { workerData: data });
  worker.unref();
  const waiting: PromiseWithResolvers<Answer>[] = [];
  let ended: Error | null = null;
  const end = (error: Error): void => {
    if (ended === null) onEnd?.();
    ended ??= error;
    for (const question of waiting.splice(0)) question.reject(ended);
  };
  worker.on('message', (reply: Reply<Answer>) => {
    const question = waiting.shift()!;
    if (waiting.length === 0) worker.unref();
    if ('answer' in reply) question.resolve(reply.answer);
    else
      question.reject(
        reply.isFailure ? new Failure(reasonOf(reply.error), { cause: reply.error }) : reply.error,
      );
  });
  worker.on('error', end).on('exit', () => end(new Error(`the thread ${program.pathname} has ended`)));
  return {
    async ask(question) {
      if (ended !== null) throw ended;
      const answered = Promise.withResolvers<Answer>();
      waiting.push(answered);
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      worker.postMessage(question);
      return await answered.promise;
    },
    async end() {
      await worker.terminate();
    },
  };
}

/** @param movedOf memory that an answer takes along, and that is gone here */
export function answerInTurn<Answer>(
  answer: (question: never) => Answer,
  movedOf: (answer: Answer) => readonly ArrayBuffer[] = () => [],
): void {
  const port = parentPort!;
  port.on('message', (question: unknown) => {
    try {
      const answered = answer(question as never);
      port.postMessage({ answer: answered } satisfies Reply<Answer>, [...movedOf(answered)]);
    } catch (error) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      port.postMessage({ error, isFailure: error instanceof Failure } satisfies Reply<Answer>);
    }
  });
}
