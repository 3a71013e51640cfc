/** A function that runs `load` once for concurrent callers of one key. Neither results nor failures are cached. */
export function sharedLoads<T>(): (key: string, load: () => Promise<T>) => Promise<T> {
  const underway = new Map<string, Promise<T>>();
  return async (key, load) => {
    let loading = underway.get(key);
    if (loading === undefined) {
      loading = load().finally(() => underway.delete(key));
      underway.set(key, loading);
    }
    return await loading;
  };
}
