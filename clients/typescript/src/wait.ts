/** Resolves after `ms` milliseconds. @throws the reason of the signal if it is aborted before. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await withTimeout(ms, signal, async (ending) => {
    await new Promise((_, reject) => {
      ending.addEventListener('abort', reject);
    });
  });
}

/**
 * Calls `work` with a signal that is aborted after `ms` milliseconds, or with `outer`.
 * Not by AbortSignal.any: Node 20 may collect the timeout before it fires (nodejs/node 54614).
 */
export async function withTimeout<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ isTimedOut: false; value: T } | { isTimedOut: true }> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    controller.abort();
  }, ms);
  const stop = (): void => controller.abort(outer!.reason);
  outer?.addEventListener('abort', stop, { once: true });
  try {
    return { isTimedOut: false, value: await work(controller.signal) };
  } catch (error) {
    outer?.throwIfAborted();
    if (isTimedOut) return { isTimedOut };
    throw error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  }
}
