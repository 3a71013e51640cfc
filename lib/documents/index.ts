import type { z } from 'zod';
import { Failure } from '../failure.ts';
import { brandsSchema } from './brands.ts';
import { competitorsSchema } from './competitors.ts';
import type { DocumentName } from './kinds.ts';
import { promptsSchema } from './prompts.ts';
import { sourcesSchema } from './sources.ts';
import { stabilitySchema } from './stability.ts';
import { visibilitySchema } from './visibility.ts';

export { documentKinds, documentNames } from './kinds.ts';
export type { DocumentKind, DocumentName } from './kinds.ts';
export type { Brands } from './brands.ts';
export type { Competitors } from './competitors.ts';
export type { Prompts } from './prompts.ts';
export type { Sources } from './sources.ts';
export type { Placement, Stability } from './stability.ts';
export type { Visibility } from './visibility.ts';

/** The schema of every document's `data`; types, routes, the OpenAPI description and validation follow from it. */
export const documentSchemas = {
  brands: brandsSchema,
  visibility: visibilitySchema,
  stability: stabilitySchema,
  competitors: competitorsSchema,
  sources: sourcesSchema,
  prompts: promptsSchema,
} as const satisfies Record<DocumentName, z.ZodType>;

/** The `data` of every document, by its name. */
export type Documents = { [Name in DocumentName]: z.infer<(typeof documentSchemas)[Name]> };

/**
 * Everything that is wrong with a document's `data`, a line each: `perEngine[0].bandLow: must be null …`. Empty:
 * it is what the specification and the methodology say it must be.
 */
export function complaintsAbout(name: DocumentName, data: unknown): string[] {
  const result = documentSchemas[name].safeParse(data);
  return result.success ? [] : spell(result.error);
}

/**
 * The whole response body, `{"data":…}`, in canonical form: keys in the order of the specification, no white
 * space, one newline at the end.
 * @throws Failure that names the document and the first things wrong with it.
 */
export function encodeDocument<Name extends DocumentName>(name: Name, data: Documents[Name]): Buffer {
  const result = documentSchemas[name].safeParse(data);
  if (result.success) return Buffer.from(`${JSON.stringify({ data: result.data })}\n`);
  const complaints = spell(result.error);
  const more = complaints.length > 3 ? ` (and ${complaints.length - 3} more)` : '';
  throw new Failure(`a ${name} document is unsound: ${complaints.slice(0, 3).join('; ')}${more}`);
}

function spell(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
    return `${steps.join('').replace(/^\./, '') || 'data'}: ${message}`;
  });
}
