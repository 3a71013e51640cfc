/** What runs are reduced to; facts/reduce has the query of each. */
export const factRelations = ['scores', 'outside_runs', 'series', 'results', 'spellings', 'names'] as const;
export type FactRelation = (typeof factRelations)[number];

/** Local Parquet files of each relation. */
export type Parts = Record<FactRelation, string[]>;

export function noParts(): Parts {
  return { scores: [], outside_runs: [], series: [], results: [], spellings: [], names: [] };
}
