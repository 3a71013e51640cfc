/** Repeats `work`, with a pause after each run. @returns a function that ends it */
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
