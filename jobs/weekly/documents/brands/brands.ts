import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Brands } from '../../../../lib/documents/brands.ts';
import { formatInstant } from '../../../../lib/methodology/instant.ts';
import type { Micros } from '../../../../lib/methodology/instant.ts';
import { BRANDS_PATH } from '../../../../snapshots/layout.ts';
import type { PublishedDocument } from '../../../../snapshots/publish/write-snapshot.ts';
import type { Connection } from '../../../duckdb.ts';
import { selectRows } from '../../../relations.ts';
import type { Slice } from '../../slices/slices.ts';

export interface PublishedBrand extends Omit<Brands[number], 'createdAt'> {
  brandNo: number;
  workspaceId: string;
  createdAt: Micros;
}

/** The brands of a slice, in the order of publication. */
export async function publishedBrands(connection: Connection, slice: Slice): Promise<PublishedBrand[]> {
  return await selectRows<PublishedBrand>(connection, import.meta, 'brands', slice);
}

/** A brand as the list of brands has it. */
export function listedBrand({ id, name, domain, createdAt }: PublishedBrand): Brands[number] {
  return { id, name, domain, createdAt: formatInstant(createdAt) };
}

/** The brand list of a workspace, oldest first (methodology, Brands and prompts). */
export function brandsDocument(brands: Brands): PublishedDocument {
  return { path: BRANDS_PATH, bytes: encodeDocument('brands', brands) };
}
