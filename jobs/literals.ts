/** A text as an SQL literal, for paths and settings, which cannot be parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A list of texts as an SQL literal. */
export function literalList(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]::varchar[]`;
}

/** Parquet files as a table. Folders named `key=value` are not columns. */
export function parquetFiles(paths: readonly string[], option = 'union_by_name = false'): string {
  // DuckDB reads a path with `*`, `?` or `[` as a pattern.
  const files = literalList(paths.map((path) => path.replaceAll(/[*?[]/g, '[$&]')));
  return `read_parquet(${files}, hive_partitioning = false, ${option})`;
}
