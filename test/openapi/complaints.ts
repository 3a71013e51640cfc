import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { oas31 } from 'zod-openapi';
import type { Answer } from '../gateway/ask.ts';

/**
 * Returns what is wrong with a response to GET by its description, as Ajv reads the schemas: its status, its type, a header
 * that is missing, and the values of headers and body.
 */
export function complaintsAbout(description: oas31.OpenAPIObject) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  // The description is no schema, but schemas are in it, and refer to each other by their places there.
  addFormats.default(ajv).addSchema(description, 'api', undefined, false);
  const complaintsOf = (value: unknown, ...place: string[]) => {
    const parts = place.map((part) => `/${encodeURIComponent(part.replaceAll('/', '~1'))}`);
    const validate = ajv.compile({ $ref: `api#${parts.join('')}/schema` });
    return validate(value) ? [] : [`${place.at(-1)!}: ${ajv.errorsText(validate.errors)}`];
  };
  const { headers, responses } = description.components as Components;

  return (path: string, { status, headers: sent, text }: Answer): string[] => {
    const ofPath = description.paths![path]!.get!.responses![status] as Reference & Described;
    if (ofPath === undefined) return [`status ${status}`];
    const shared = nameIn(ofPath);
    const described = shared === undefined ? ofPath : responses[shared]!;
    const ofHeaders = Object.entries(described.headers).flatMap(([name, reference]) => {
      const value = sent[name.toLowerCase()];
      const header = nameIn(reference)!;
      if (value === undefined) return headers[header]!.required ? [`${name}: missing`] : [];
      const isNumber = headers[header]!.schema.type === 'integer';
      return complaintsOf(isNumber ? Number(value) : value, 'components', 'headers', header);
    });
    if (described.content === undefined) return text === '' ? ofHeaders : [...ofHeaders, 'a body'];
    const type = sent['content-type']?.split(';')[0] ?? 'none';
    if (described.content[type] === undefined) return [...ofHeaders, `type ${type}`];
    const place =
      shared === undefined
        ? ['paths', path, 'get', 'responses', String(status)]
        : ['components', 'responses', shared];
    const body: unknown = type === 'application/json' ? JSON.parse(text) : text;
    return [...ofHeaders, ...complaintsOf(body, ...place, 'content', type)];
  };
}

interface Reference {
  $ref?: string;
}

interface Described {
  headers: Record<string, Reference>;
  content?: Record<string, unknown>;
}

interface Components {
  headers: Record<string, { required?: boolean; schema: { type?: string } }>;
  responses: Record<string, Described>;
}

/** The name of the component that a reference leads to; undefined for what is no reference. */
const nameIn = ({ $ref }: Reference) => $ref?.split('/').at(-1);
