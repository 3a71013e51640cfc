/** A text as an SQL literal, for the few places that take no parameter: paths and settings. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of texts as an SQL literal. */
export function literalList(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]::varchar[]`;
}

/** Parquet files as a table; folders named `key=value` are names, not columns. */
export function parquetFiles(paths: readonly string[], option = 'union_by_name = false'): string {
  // DuckDB takes a path with `*`, `?` or `[` for a pattern.
  const files = literalList(paths.map((path) => path.replaceAll(/[*?[]/g, '[$&]')));
  return `read_parquet(${files}, hive_partitioning = false, ${option})`;
}
