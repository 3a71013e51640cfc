import { z } from 'zod';
import { UUID_PATTERN } from '../uuid.ts';
import { engineSlugs } from '../methodology/constants.ts';
import { isFolded } from '../methodology/text.ts';

const UUID = new RegExp(`^${UUID_PATTERN}$`);

/** Ids are UUIDs in lower case, of any version. */
export const id = z.string().regex(UUID, 'expected a UUID in lower case').meta({ format: 'uuid' });

/** A name or a question; never empty. */
export const text = z.string().min(1);

/** A text without white space at its ends, and with single blanks inside. */
export const foldedText = text.refine(isFolded, 'expected folded white space');

/** ISO 8601 in UTC, in milliseconds: `2026-01-05T09:30:00.000Z`. */
export const instant = z.iso.datetime({
  precision: 3,
  error: 'expected an instant such as 2026-01-05T09:30:00.000Z',
});

/** An existing day, `YYYY-MM-DD`. */
export const date = z.iso.date('expected an existing day such as 2026-01-05');

export const count = z.number().int().nonnegative();

/** The double nearest to a number with at most one decimal, which is what JSON contains. */
export const decimal = z.number().refine(
  (value) => Number(value.toFixed(1)) === value, // value * 10 is inexact from 2 ** 50
  'expected at most one decimal',
);

/** A percentage with one decimal. */
export const percentage = decimal.min(0).max(100);

/** An http or https link, as ingest accepts it: no white space and no control characters. */
export const link = z.string().regex(/^https?:\/\/[^\p{Z}\p{Cc}]+$/iu, 'expected an http or https URL');

export const engineSlug = z.enum(engineSlugs).meta({
  id: 'EngineSlug',
  description: 'An answer engine. perplexity, ai_overview and ai_mode search the web before they answer.',
});

/** The brand that a document is about. */
export const brandReference = z
  .strictObject({
    id: id.describe('Id of the brand, as used in the paths.'),
    name: text.describe('Name of the brand as configured.'),
    domain: z.string().describe('Website exactly as entered at setup; often a full URL, may be empty.'),
  })
  .meta({ id: 'BrandReference', description: 'The brand that a response is about.' });
