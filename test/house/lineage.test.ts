import { expect, test } from 'vitest';
import { projectFiles, textOf } from './files.ts';
import { lineagePage, withLineage } from './lineage.ts';

// It throws if nothing makes or reads a table or view.
test('the page lists every table and view of ingest and weekly, with its makers and readers', async () => {
  const page = textOf(lineagePage);
  expect(page.split('\n').length).toBeGreaterThan(60);
  expect(page).toBe(await withLineage(page));
  expect(page).not.toContain('|  |');
});

test('an SQL file is filled in by parameters only', () => {
  const sql = projectFiles().filter((path) => path.startsWith('jobs/') && path.endsWith('.sql'));
  expect(sql.filter((path) => /\b(?:from|join|into|table|view) \S*\{/.test(textOf(path)))).toEqual([]);
});
