import { expect, test } from 'vitest';
import { openDatabase } from '../../jobs/duckdb.ts';
import { makeTable, makeTableOf } from '../../jobs/relations.ts';
import { assertMade, headOf, recordMade } from '../../jobs/script-heads.ts';
import { projectFiles, textOf } from '../house/files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { foundIn } from './scripts.ts';

const scripts = projectFiles().filter(
  (path) => path.startsWith('jobs/') && path.endsWith('.sql') && !path.startsWith('jobs/import/mappings/'),
);

test('the head of every script says what it needs and makes', async () => {
  expect(scripts.length).toBeGreaterThan(60);
  for (const path of scripts) {
    const { needs, makes } = headOf(textOf(path));
    const found = await foundIn(textOf(path));
    expect({ path, needs: needs.toSorted(), makes: makes.toSorted() }).toEqual({
      path,
      needs: found.needs.toSorted(),
      makes: found.makes.toSorted(),
    });
  }
});

test('what a script makes is needed', () => {
  const code = projectFiles().filter((path) => path.startsWith('jobs/'));
  for (const path of scripts)
    for (const name of headOf(textOf(path)).makes) {
      const isNeeded = scripts.some((other) => headOf(textOf(other)).needs.includes(name));
      const isRead = code.some((other) => new RegExp(`(?:from|into|join) ${name}\\b`).test(textOf(other)));
      // The first are examples for others, the second the files of a drop.
      const isForOthers = /^(?:record|field)_/.test(name) || path === 'jobs/demo/drop.sql';
      expect([path, name, isNeeded || isRead || isForOthers]).toEqual([path, name, true]);
    }
});

test('a script is refused if what it needs was not made, or was made from something that was made again since, directly or not', async () => {
  using database = await openDatabase({ scratch: await temporaryFolder(), threads: 1 });
  const connection = await database.connect();
  const columns = { id: 'uuid', workspace_id: 'uuid' } as const;
  const makeBrands = async () => await makeTableOf(connection, 'lake_brand', columns, []);
  const module = { url: import.meta.resolve('../../jobs/remove/rewrite.ts') };
  const makeRemoved = async () => await makeTable(connection, module, 'removed-brand', { workspace: null });
  await expect(makeRemoved()).rejects.toThrow('brand.sql needs lake_brand, which was not made before');
  await makeBrands();
  await makeRemoved();
  recordMade(connection, ['name'], ['removed_brand']);
  await assertMade(connection, 'b', ['lake_brand', 'removed_brand', 'name']);
  await makeBrands();
  await expect(assertMade(connection, 'b', ['removed_brand'])).rejects.toThrow('which was made from a');
  await makeRemoved();
  await assertMade(connection, 'b', ['lake_brand', 'removed_brand']);
  await expect(assertMade(connection, 'b', ['name'])).rejects.toThrow('from a relation that changed since');
});
