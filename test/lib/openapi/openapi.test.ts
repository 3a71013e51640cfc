import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { errorTable } from '../../../lib/errors.ts';
import { describedApi } from '../../openapi/description.ts';
import { describeWithOpenApiTools, requireTool } from '../../openapi/tools.ts';
import { runProgram } from '../../support/program.ts';

const file = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const text = `${JSON.stringify(describedApi(), null, 2)}\n`;

describeWithOpenApiTools('Redocly', () => {
  test('finds nothing to complain of in the OpenAPI description, nor in its examples', async () => {
    const { status, stdout, stderr } = await runProgram(
      requireTool.resolve('@redocly/cli/bin/cli.js'),
      ['lint', '--extends', 'recommended-strict', file],
      { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    );
    expect(stdout + stderr).toContain('Your API description is valid');
    expect(stdout + stderr).not.toMatch(/warning/i);
    expect(status).toBe(0);
  });
});

test('docs/openapi.json is up to date (npm run openapi), names every error, and allows new fields', () => {
  expect(readFileSync(file, 'utf8')).toBe(text);
  for (const { message } of Object.values(errorTable)) expect(text).toContain(JSON.stringify(message));
  expect(text).not.toContain('"additionalProperties": false');
});
