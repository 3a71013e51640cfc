import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { errorTable } from '../../../lib/errors.ts';
import { describedApi } from '../../openapi/description.ts';

const file = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const text = `${JSON.stringify(describedApi(), null, 2)}\n`;

test('Redocly finds nothing to complain of in the OpenAPI description, nor in its examples', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  expect(await lint({ ref: file, config })).toEqual([]);
});

test('docs/openapi.json is up to date (npm run openapi), names every error, and allows new fields', () => {
  expect(readFileSync(file, 'utf8')).toBe(text);
  for (const { message } of Object.values(errorTable)) expect(text).toContain(JSON.stringify(message));
  expect(text).not.toContain('"additionalProperties": false');
});
