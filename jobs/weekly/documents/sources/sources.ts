import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Sources } from '../../../../lib/documents/sources.ts';
import { SOURCES_SIZE, sourceTypes } from '../../../../lib/methodology/constants.ts';
import { textList } from '../../../duckdb.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type Source = Sources['sources'][number];

const limits = { sources_size: SOURCES_SIZE, source_types: textList(sourceTypes) };

/** The sources document (methodology, Sources). */
export const sources: DocumentSource = async (connection, slice) => {
  const parameters = { ...slice, ...limits };
  const rowsOf = await selectByBrand<Source>(connection, import.meta, 'sources', parameters);
  return (brandNo, brand) => encodeDocument('sources', { brand, sources: rowsOf(brandNo) });
};
