/** Runs `load` at the first call; later calls get the same result. After a failure, the next call runs `load` again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return async () => {
    result ??= load();
    const mine = result;
    try {
      return await mine;
    } catch (error) {
      if (result === mine) result = undefined;
      throw error;
    }
  };
}
