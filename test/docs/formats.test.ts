import { expect, test } from 'vitest';
import { formats } from '../../lib/store/formats.ts';
import { routes } from '../../lib/documents/routes.ts';
import client from '../../clients/typescript/package.json' with { type: 'json' };

test('every route is of the API version that the doctor names, and the client of this version is not older than the oldest', () => {
  const paths = Object.values(routes).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) expect(path).toMatch(`/api/${formats.api}/`);
  expect(number(client.version)).toBeGreaterThanOrEqual(number(formats.oldestClient));
});

const number = (version: string) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
