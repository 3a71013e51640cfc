import type { RunSql } from './database.ts';

/** Folds the log of uses, one row a batch, into the last uses of the keys. */
export interface UseFolding {
  /** To be called where a use was logged: it is folded soon, by us or by another gateway that is at it. */
  logged(): void;
  /** Folds what is left. What cannot be folded stays in the log, where readers find it, until a gateway can fold it. */
  close(): Promise<void>;
}

/** This number of rows takes 10 to 20 ms; more in one statement would delay waiting requests. */
const BATCHES_AT_ONCE = 2000;

/**
 * Sends nothing to the database while the gateway gets no requests.
 * @param onFailed called with the first of failures in a row: nothing is lost, but the log grows
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
    timer = undefined; // first, so that what is logged meanwhile asks for another turn
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
