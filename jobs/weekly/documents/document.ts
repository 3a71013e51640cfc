import { encodeDocument } from '../../../lib/documents/encode.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { rowsOf } from '../../duckdb.ts';
import type { Connection, Parameters } from '../../duckdb.ts';
import { sqlNextTo } from '../../relations.ts';
import type { Slice } from '../facts/merge/merge.ts';

/** Makes one document of each brand of a slice. */
export interface DocumentSource {
  /** @returns the document of a brand, whole. It throws a Failure that names what is unsound. */
  read(connection: Connection, slice: Slice): Promise<(brandNo: number, brand: BrandReference) => Buffer>;
}

export interface BrandReference {
  id: string;
  name: string;
  domain: string;
}

/** The select in `NAME.sql` next to a module, of the brands of a slice. */
export interface Query<Row> {
  rows(connection: Connection, slice: Slice): Promise<Row[]>;
}

/** A row belongs to a brand; {@link documentSource} takes the number off. */
export interface BrandRow {
  brandNo: number;
}

/** A prompt of a document that DuckDB writes as text: there are hundreds of thousands of entries. */
export interface PromptRow extends BrandRow {
  promptId: string;
  promptText: string;
  /** The entries of the list `engines`, as JSON. */
  engines: string;
}

type Queries = Record<string, Query<BrandRow>>;

/** The rows of one brand. */
type Rows<Q extends Queries> = {
  [Name in keyof Q]: Q[Name] extends Query<infer Row> ? Omit<Row, 'brandNo'>[] : never;
};

export function query<Row>(
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters: Parameters = {},
): Query<Row> {
  return {
    async rows(connection, slice) {
      return await rowsOf<Row>(connection, await sqlNextTo(module, name), {
        ...rangeOf(slice),
        ...parameters,
      });
    },
  };
}

/** What a slice contains, as the parameters of a query. */
export function rangeOf(slice: Slice): Record<string, number> {
  return {
    first_brand: slice.firstBrand ?? 0,
    last_brand: slice.lastBrand ?? -1,
    first_series: slice.firstSeries ?? 0,
    last_series: slice.lastSeries ?? -1,
    first_spelling: slice.firstSpelling ?? 0,
    last_spelling: slice.lastSpelling ?? -1,
  };
}

/** @param prepare makes the tables of a slice that the queries need */
export function documentSource<Q extends Queries>(
  queries: Q,
  encode: (brand: BrandReference, rows: Rows<Q>) => Buffer,
  prepare: (connection: Connection, slice: Slice) => Promise<void> = async () => undefined,
): DocumentSource {
  return {
    async read(connection, slice) {
      await prepare(connection, slice);
      const byBrand: [string, Map<number, object[]>][] = [];
      for (const [name, each] of Object.entries(queries)) {
        byBrand.push([name, groupByBrand(await each.rows(connection, slice))]);
      }
      return (brandNo, brand) => {
        const rows = byBrand.map(([name, all]) => [name, all.get(brandNo) ?? []]);
        return encode(brand, Object.fromEntries(rows));
      };
    },
  };
}

function groupByBrand(rows: readonly BrandRow[]): Map<number, object[]> {
  const byBrand = new Map<number, object[]>();
  for (const { brandNo, ...row } of rows) {
    const known = byBrand.get(brandNo);
    if (known === undefined) byBrand.set(brandNo, [row]);
    else known.push(row);
  }
  return byBrand;
}

export function brandJson({ id, name, domain }: BrandReference): string {
  return JSON.stringify({ id, name, domain });
}

/** The list `prompts` of a document. */
export function promptsJson(rows: readonly Omit<PromptRow, 'brandNo'>[]): string {
  const prompts = rows.map(
    ({ promptId, promptText, engines }) =>
      `{"promptId":"${promptId}","promptText":${JSON.stringify(promptText)},"engines":[${engines}]}`,
  );
  return `[${prompts.join(',')}]`;
}

/** A document whose `data` is made of rows, then checked and encoded. */
export function documentFromRows<Kind extends DocumentKind, Q extends Queries>(
  kind: Kind,
  queries: Q,
  dataOf: (rows: Rows<Q>) => Omit<Documents[Kind], 'brand'>,
): DocumentSource {
  return documentSource(queries, (brand, rows) =>
    encodeDocument(kind, { brand, ...dataOf(rows) } as unknown as Documents[Kind]),
  );
}
