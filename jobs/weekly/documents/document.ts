import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { Connection, Parameters } from '../../duckdb.ts';
import { selectRows } from '../../relations.ts';
import type { Slice } from '../slices/slices.ts';

/** Selects what the documents of one kind need for a slice, as of an instant. */
export type DocumentSource = (connection: Connection, slice: Slice, asOf: Micros) => Promise<Encoder>;

/** Returns the whole document of a brand. @throws Failure that names what is unsound. */
export type Encoder = (brandNo: number, brand: Documents[DocumentKind]['brand']) => Buffer;

/**
 * The rows of the select in `NAME.sql` next to a module, which have a `brandNo` too. They are returned a brand at a time, by
 * its number.
 */
export async function selectByBrand<Row>(
  connection: Connection,
  module: Pick<ImportMeta, 'url'>,
  name: string,
  parameters: Parameters,
): Promise<(brandNo: number) => Row[]> {
  const rows = await selectRows<Row & { brandNo: number }>(connection, module, name, parameters);
  const byBrand = Map.groupBy(rows, ({ brandNo }) => brandNo);
  return (number) => (byBrand.get(number) ?? []).map(({ brandNo: _brandNo, ...row }) => row as Row);
}
