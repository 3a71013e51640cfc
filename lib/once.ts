/** Runs `load` at the first call and shares its result with all later ones. A failure is not remembered. */
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
