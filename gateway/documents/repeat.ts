/** Does the work again and again, with a pause between. @returns what ends it */
export function repeat(work: () => Promise<void>, pauseMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  const schedule = () => {
    timer = setTimeout(() => void work().finally(() => timer !== undefined && schedule()), pauseMs);
    timer.unref();
  };
  schedule();
  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}
