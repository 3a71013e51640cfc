import { z } from 'zod';
import { weeklyOutput } from '../../jobs/weekly/report/output.ts';
import { diffOutput, listOutput, verifyOutput } from '../../snapshots/audit/output.ts';
import { entrySchema } from '../../snapshots/log/entries.ts';
import { manifestSchema } from '../../snapshots/manifest.ts';

const sources = {
  diff: diffOutput,
  list: listOutput,
  verify: verifyOutput,
  weekly: weeklyOutput,
  manifest: manifestSchema.describe('The manifest of a snapshot, in the store and in proofs'),
  'log-entry': entrySchema.describe('An entry of the transparency log'),
} as const;

/** The files in docs/schemas, by name, as JSON Schema 2020-12: `npm run docs` writes them. */
export const jsonSchemas = Object.fromEntries(
  Object.entries(sources).map(([name, schema]) => [`${name}.json`, z.toJSONSchema(schema)]),
);
