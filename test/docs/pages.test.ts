import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../lib/config.ts';
import type { RecordsLocation, StoreLocation } from '../../lib/config.ts';
import { historyOperations, operationIds, routes } from '../../lib/documents/routes.ts';
import { errorTable } from '../../lib/errors.ts';
import { allowancesInWords } from '../../lib/plans.ts';
import { apiTables, tableNames } from '../../lib/tables/names.ts';
import { projectFiles, textOf } from '../house/files.ts';
import { columnsFile } from './columns.ts';
import { pageText, pages, root, tableAfter } from './pages.ts';
import { jsonSchemas } from './schemas.ts';

/** The anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

const withoutBlocks = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, '');

describe('links', () => {
  const links = pages.flatMap((page) =>
    [...withoutBlocks(pageText(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => ({
      page,
      target: target!,
    })),
  );
  const local = links.filter(({ target }) => !/^[a-z]+:/.test(target));

  test('of every page lead to a file, and to a heading in it', () => {
    expect(local.length).toBeGreaterThan(20);
    const wrong = local.filter(({ page, target }) => {
      const [path, anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path!);
      if (!existsSync(join(root, file))) return true;
      if (!file.endsWith('.md') || anchor === undefined) return false;
      return !(pageText(file).match(/^#+ .*$/gm) ?? []).map(anchorOf).includes(anchor);
    });
    expect(wrong).toEqual([]);
  });

  test('every path that CONTRIBUTING.md names exists', () => {
    const named = pageText('CONTRIBUTING.md').match(/(?<=`)[\w.-]+\/[\w./-]*(?=`)/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

type Setting = string | number | boolean | string[] | StoreLocation | RecordsLocation | undefined;

function spelled(value: Setting): string {
  if (typeof value !== 'object' || Array.isArray(value)) return value === undefined ? 'none' : String(value);
  if (value.kind === 'sqlite') return `sqlite:${value.path}`;
  return value.kind === 'directory' ? value.path : value.url;
}

test('the table of settings has every setting with its default, in the order of the code', () => {
  const code = readFileSync(join(root, 'lib/config.ts'), 'utf8');
  const names = [...code.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!);
  const defaults: Record<string, Setting> = readConfig({});
  expect(names).toEqual(expect.arrayContaining(Object.keys(defaults)));
  const rows = tableAfter('docs/settings.md', 'settings');
  expect(rows.map(([name, value]) => [name, value])).toEqual(
    names.map((name) => [name, spelled(defaults[name])]),
  );
});

test('every setting that a page names is in the code', () => {
  const ofOthers = /^(?:AWS|NODE|RCLONE|XDG)_|^AS_OF$/;
  const named = pages.flatMap((page) => pageText(page).match(/(?<=`)[A-Z][A-Z0-9]*_[A-Z0-9_]+/g) ?? []);
  const code = projectFiles().filter((path) => !path.endsWith('.md') && !path.startsWith('test/'));
  const texts = code.map(textOf).join('\n');
  expect(named.filter((name) => !ofOthers.test(name) && !texts.includes(name))).toEqual([]);
});

test('the table of operations has every route, and those of the history follow from it as the page says', () => {
  const rows = tableAfter('docs/api.md', 'operations').map(([id, path]) => [id, path!]);
  const ofHistory = historyOperations.map(({ operationId, path }) => [operationId, path]);
  const current = operationIds.map((id) => [id, routes[id].path]);
  expect(rows).toEqual([...current, ...ofHistory.slice(0, 2)]);
  expect(ofHistory.slice(2).map(([, path]) => path)).toEqual(
    current.map(([, path]) => path!.replace('/api/v1', '/api/v1/snapshots/{snapshotId}')),
  );
});

test('docs/api.md has the allowances of the plans', () => {
  expect(pageText('docs/api.md').replaceAll(/\s+/g, ' ')).toContain(allowancesInWords());
});

test('the table of errors has every error with its status', () => {
  const rows = tableAfter('docs/api.md', 'errors');
  const known = Object.entries(errorTable).map(([code, { status }]) => [String(status), code]);
  expect(rows.map(([status, code]) => [status, code])).toEqual(known);
});

test('docs/columns.csv is up to date (npm run docs), and docs/exporting.md says what a row of each table is', () => {
  expect(pageText('docs/columns.csv')).toBe(columnsFile());
  const rows = tableAfter('docs/exporting.md', 'tables');
  expect(rows.map(([name]) => name)).toEqual(tableNames);
  expect(rows.flatMap(([name, , isInApi]) => (isInApi === 'yes' ? [name] : []))).toEqual(apiTables);
});

test('docs/schemas has the schemas of the code (npm run docs)', () => {
  const stored = readdirSync(join(root, 'docs/schemas')).map((file) => [
    file,
    JSON.parse(pageText(`docs/schemas/${file}`)) as unknown,
  ]);
  expect(Object.fromEntries(stored)).toEqual(jsonSchemas);
});
