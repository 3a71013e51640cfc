import type { Sources } from '../../../../lib/documents/sources.ts';
import { SOURCES_SIZE, sourceTypes } from '../../../../lib/methodology/constants.ts';
import { textList } from '../../../duckdb.ts';
import { documentFromRows, query } from '../document.ts';

type Row = Sources['sources'][number];

const queries = {
  sources: query<Row>(import.meta, 'sources', {
    sources_size: SOURCES_SIZE,
    source_types: textList(sourceTypes),
  }),
};

/** The sources document (methodology, Sources). */
export const sources = documentFromRows('sources', queries, (rows) => rows);
