import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../lib/failure.ts';
import { startThread } from '../../lib/thread.ts';

const program = new URL('thread.worker.ts', import.meta.url);

function thread(onEnd = () => {}) {
  const started = startThread<string, string>(program, { data: 'heard', onEnd });
  onTestFinished(() => started.end());
  return started;
}

test('answers come to whom they belong, in turn', async () => {
  const asked = thread();
  const questions = Array.from({ length: 100 }, (_, n) => String(n));
  expect(await Promise.all(questions.map(async (question) => await asked.ask(question)))).toEqual(
    questions.map((question) => `heard ${question}`),
  );
});

test('what an answer throws is thrown, a failure as a failure, and the next question is answered', async () => {
  const asked = thread();
  const [failed, thrown, answered] = await Promise.allSettled([
    asked.ask('fail'),
    asked.ask('throw'),
    asked.ask('on'),
  ]);
  expect(failed).toMatchObject({ reason: new Failure('told to fail') });
  expect((failed as PromiseRejectedResult).reason).toBeInstanceOf(Failure);
  expect(thrown).toMatchObject({ reason: new RangeError('told to throw') });
  expect(answered).toEqual({ status: 'fulfilled', value: 'heard on' });
});

test('a thread that has ended says so to all who wait and all who come, and once to its owner', async () => {
  const onEnd = vi.fn<() => void>();
  const asked = thread(onEnd);
  const waiting = await Promise.allSettled([asked.ask('exit'), asked.ask('too late')]);
  for (const each of [...waiting, ...(await Promise.allSettled([asked.ask('much later')]))])
    expect((each as PromiseRejectedResult).reason).toMatchObject({
      message: expect.stringContaining('has ended'),
    });
  expect(onEnd).toHaveBeenCalledOnce();
});
