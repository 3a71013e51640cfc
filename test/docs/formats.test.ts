import { expect, test } from 'vitest';
import { knownSchemaVersion } from '../../gateway/records/schema.ts';
import { formats } from '../../lib/store/formats.ts';
import { routes } from '../../lib/documents/routes.ts';
import client from '../../clients/typescript/package.json' with { type: 'json' };
import { pageText } from './pages.ts';

test('docs/operations.md lists the formats that the code reads and writes', () => {
  const [, table] = pageText('docs/operations.md').split('<!-- formats -->\n\n');
  const rows = table!
    .split('\n\n')[0]!
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const { lake, store, api, oldestClient } = formats;
  const [sqlite, postgres] = [knownSchemaVersion('sqlite'), knownSchemaVersion('postgres')];
  expect(rows.map(([, part, , reads, writes]) => [part, reads, writes])).toEqual([
    ['lake', `${lake}`, `${lake}`],
    ['store', `${store}`, `${store}`],
    ['records', `${sqlite}, and upgrades older`, `${sqlite}`],
    ['records', `${postgres}, and upgrades older`, `${postgres}`],
    ['client', `${api}, from client ${oldestClient} on`, api],
  ]);
});

test('every route is of the API version in the table, and the client of this version is not older than the oldest', () => {
  const paths = Object.values(routes).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) expect(path).toMatch(`/api/${formats.api}/`);
  expect(number(client.version)).toBeGreaterThanOrEqual(number(formats.oldestClient));
});

const number = (version: string) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
