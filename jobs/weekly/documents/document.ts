import { encodeDocument } from '../../../lib/documents/encode.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import type { Connection, Parameters } from '../../duckdb.ts';
import { selectRows } from '../../relations.ts';
import type { Slice } from '../history/merge/merge.ts';

/** Selects the rows of a slice. They are returned a brand at a time, by its number. */
export type Query<Row> = (connection: Connection, slice: Slice) => Promise<(brandNo: number) => Row[]>;

/** Selects what the documents of one kind need for a slice. */
export type DocumentSource = (connection: Connection, slice: Slice) => Promise<Encoder>;

/** Returns the whole document of a brand. @throws Failure that names what is unsound. */
export type Encoder = (brandNo: number, brand: BrandReference) => Buffer;

type BrandReference = Documents[DocumentKind]['brand'];

/** A prompt of a document that DuckDB writes as text: there are hundreds of thousands of entries. */
export interface PromptRow {
  promptId: string;
  promptText: string;
  /** The entries of the list `engines`, as JSON. */
  engines: string;
}

type Queries = Record<string, Query<unknown>>;

/** The rows of one brand. */
export type Rows<Q extends Queries> = {
  [Name in keyof Q]: Q[Name] extends Query<infer Row> ? Row[] : never;
};

/** The select in `NAME.sql` next to a module. Its rows have a `brandNo` too. Parameters are those of the slice, and these. */
export function query<Row>(
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters: Parameters = {},
): Query<Row> {
  return async (connection, slice) => {
    const all = { ...slice, ...parameters };
    const rows = await selectRows<Row & { brandNo: number }>(connection, module, name, all);
    const byBrand = Map.groupBy(rows, ({ brandNo }) => brandNo);
    return (number) => (byBrand.get(number) ?? []).map(({ brandNo: _brandNo, ...row }) => row as Row);
  };
}

/** @param prepare makes the tables of a slice that the queries need */
function documentSource<Q extends Queries>(
  queries: Q,
  encode: (brand: BrandReference, rows: Rows<Q>) => Buffer,
  prepare: (connection: Connection, slice: Slice) => Promise<void> = async () => undefined,
): DocumentSource {
  return async (connection, slice) => {
    await prepare(connection, slice);
    const selected: [string, (brandNo: number) => unknown[]][] = [];
    for (const [name, select] of Object.entries(queries))
      selected.push([name, await select(connection, slice)]);
    return (number, brand) => {
      const rows = selected.map(([name, rowsOfBrand]) => [name, rowsOfBrand(number)]);
      return encode(brand, Object.fromEntries(rows) as Rows<Q>);
    };
  };
}

/**
 * A document whose `data` is made of rows, then checked and encoded.
 * @param prepare makes the tables of a slice that the queries need
 */
export function documentFromRows<Kind extends DocumentKind, Q extends Queries>(
  kind: Kind,
  queries: Q,
  dataOf: (rows: Rows<Q>) => Omit<Documents[Kind], 'brand'>,
  prepare?: (connection: Connection, slice: Slice) => Promise<void>,
): DocumentSource {
  const encode = (brand: BrandReference, rows: Rows<Q>) =>
    encodeDocument(kind, { brand, ...dataOf(rows) } as unknown as Documents[Kind]);
  return documentSource(queries, encode, prepare);
}

/**
 * A document whose prompts DuckDB writes as text, in the canonical form of `encodeDocument`. A test compares it with the
 * schema.
 * @param constants stand between `brand` and `prompts`
 */
export function documentFromText(
  prompts: Query<PromptRow>,
  prepare: (connection: Connection, slice: Slice) => Promise<void>,
  constants: object = {},
): DocumentSource {
  const encode = (brand: BrandReference, { rows }: { rows: PromptRow[] }) => {
    const head = JSON.stringify({ brand, ...constants }).slice(0, -1);
    const list = rows.map(
      ({ promptId, promptText, engines }) =>
        `{"promptId":"${promptId}","promptText":${JSON.stringify(promptText)},"engines":[${engines}]}`,
    );
    return Buffer.from(`{"data":${head},"prompts":[${list.join(',')}]}}\n`);
  };
  return documentSource({ rows: prompts }, encode, prepare);
}
