import type { Sightline } from 'sightline-client';
import { z } from 'zod';
import { ToolError } from './result.ts';
import { nothingPublished } from './weeks.ts';
import type { Options } from './weeks.ts';

/**
 * The id of a brand, in lower case as documents and manifests have it. A name takes a request, an id does not.
 * @param brand an id, or a name in any case
 * @throws ToolError if no brand of the current week has the name, or several have it
 */
export async function brandIdOf(
  brand: string,
  client: Pick<Sightline, 'listBrands'>,
  options: Options,
): Promise<string> {
  const id = z.guid().toLowerCase().safeParse(brand);
  if (id.success) return id.data;
  const { data, snapshotId } = await client.listBrands(options);
  if (snapshotId === null) throw nothingPublished();
  const exact = data.filter(({ name }) => name === brand);
  const found = exact.length > 0 ? exact : data.filter(({ name }) => folded(name) === folded(brand));
  if (found.length === 1) return found[0]!.id;
  throw found.length === 0
    ? new ToolError('not_found', `brand: no brand has the name ${JSON.stringify(brand)}; see list_brands`)
    : new ToolError('invalid_arguments', 'brand: several brands have this name; give the id of one');
}

function folded(name: string): string {
  return name.trim().normalize().toLowerCase();
}
