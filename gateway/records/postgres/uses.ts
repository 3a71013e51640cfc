import type { RunSql } from './database.ts';

/** Folds the log of uses, one row per batch, into the last uses of the keys. */
export interface UseFolding {
  /** Call it after a use was logged: it is folded soon, by this gateway or by another one. */
  logged(): void;
  /** Folds the rest of the log. Uses that cannot be folded stay in the log, where readers find them too. */
  close(): Promise<void>;
}

/** This number of rows takes 10 to 20 ms; more in one statement would delay waiting requests. */
const BATCHES_AT_ONCE = 2000;

/**
 * Folds in intervals. Sends nothing to the database while the gateway gets no requests.
 * @param onFailed called with the first of consecutive failures: nothing is lost, but the log grows
 */
export function useFolding(
  rows: RunSql,
  everyMs: number,
  onFailed: (error: unknown) => void = () => undefined,
): UseFolding {
  let timer: NodeJS.Timeout | undefined;
  let underway: Promise<unknown> = Promise.resolve();
  let isFailing = false;

  const fold = async () => {
    for (;;) {
      const [folded] = await rows<{ batches: number }>('admission/fold-uses', BATCHES_AT_ONCE);
      if (folded!.batches < BATCHES_AT_ONCE) return;
    }
  };
  const report = (error: unknown) => {
    if (!isFailing) onFailed(error);
    isFailing = true;
  };
  const foldWhereItCan = () => {
    timer = undefined; // first, so that uses logged meanwhile schedule another run
    underway = underway.then(fold).then(() => (isFailing = false), report);
  };

  return {
    logged() {
      timer ??= setTimeout(foldWhereItCan, everyMs).unref();
    },
    async close() {
      const isLeft = timer !== undefined;
      clearTimeout(timer);
      if (isLeft) foldWhereItCan();
      await underway;
    },
  };
}
