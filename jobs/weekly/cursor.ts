/** Rows of a query ordered by `brand_no`, handed out a brand at a time in ascending order. */
export interface BrandCursor<Row> {
  /** The rows of this brand; rows of brands that were passed over are dropped. */
  take(brandNo: number): Promise<Row[]>;
}

export function brandCursor<Row extends { brand_no: number }>(
  chunks: AsyncIterator<Row[]>,
): BrandCursor<Row> {
  let chunk: Row[] = [];
  let at = 0;
  let ended = false;

  async function fill(): Promise<boolean> {
    while (at >= chunk.length && !ended) {
      const next = await chunks.next();
      ended = next.done === true;
      chunk = next.done === true ? [] : next.value;
      at = 0;
    }
    return !ended;
  }

  return {
    async take(brandNo) {
      const taken: Row[] = [];
      while (await fill()) {
        const row = chunk[at]!;
        if (row.brand_no > brandNo) break;
        if (row.brand_no === brandNo) taken.push(row);
        at++;
      }
      return taken;
    },
  };
}
