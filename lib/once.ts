/** Runs `load` at the first call; later calls get the same result. After a failure, the next call runs `load` again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () =>
    (result ??= load().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
}
