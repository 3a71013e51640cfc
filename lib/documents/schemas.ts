import type { z } from 'zod';
import { brandsSchema } from './brands.ts';
import { competitorsSchema } from './competitors.ts';
import type { DocumentName } from './kinds.ts';
import { promptsSchema } from './prompts.ts';
import { resultsSchema } from './results.ts';
import { sourcesSchema } from './sources.ts';
import { stabilitySchema } from './stability.ts';
import { tableSchema } from './table.ts';
import { timelineSchema } from './timeline.ts';
import { visibilitySchema } from './visibility.ts';
import { weekSchema } from './week.ts';

/** The schema of every document's `data`; types, routes, the OpenAPI description and validation follow from it. */
export const documentSchemas = {
  brands: brandsSchema,
  week: weekSchema,
  table: tableSchema,
  visibility: visibilitySchema,
  stability: stabilitySchema,
  competitors: competitorsSchema,
  sources: sourcesSchema,
  results: resultsSchema,
  timeline: timelineSchema,
  prompts: promptsSchema,
} as const satisfies Record<DocumentName, z.ZodType>;

/** The `data` of every document, by its name. */
export type Documents = { [Name in DocumentName]: z.infer<(typeof documentSchemas)[Name]> };
