import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Sources } from '../../../../lib/documents/sources.ts';
import {
  engineSlugs,
  SOURCES_SIZE,
  sourceTypes,
  webGrounded,
} from '../../../../lib/methodology/constants.ts';
import { textList } from '../../../duckdb.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type Source = Sources['sources'][number];

type Totals = Omit<Sources, 'brand' | 'sources'>;

const limits = {
  sources_size: SOURCES_SIZE,
  source_types: textList(sourceTypes),
  web_grounded: textList(engineSlugs.filter((slug) => webGrounded[slug])),
};

/** The sources document (methodology, Sources and Questions). */
export const sources: DocumentSource = async (connection, slice) => {
  const parameters = { ...slice, ...limits };
  const rowsOf = await selectByBrand<Source>(connection, import.meta, 'sources', parameters);
  const totalsOf = await selectByBrand<Totals>(connection, import.meta, 'totals', parameters);
  return (brandNo, brand) =>
    encodeDocument('sources', { brand, sources: rowsOf(brandNo), ...totalsOf(brandNo)[0]! });
};
