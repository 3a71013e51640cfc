import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Prompts } from '../../../../lib/documents/prompts.ts';
import { formatInstant } from '../../../../lib/methodology/instant.ts';
import type { Micros } from '../../../../lib/methodology/instant.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type Row = Omit<Prompts['prompts'][number], 'createdAt'> & { createdAt: Micros };

/** The prompts document (methodology, Brands and prompts). */
export const prompts: DocumentSource = async (connection, slice) => {
  const rowsOf = await selectByBrand<Row>(connection, import.meta, 'prompts', slice);
  const promptOf = ({ createdAt, ...prompt }: Row) => ({ ...prompt, createdAt: formatInstant(createdAt) });
  return (brandNo, brand) => encodeDocument('prompts', { brand, prompts: rowsOf(brandNo).map(promptOf) });
};
