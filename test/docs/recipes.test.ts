import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import { tables } from '../../lib/tables/tables.ts';
import { CHECKPOINT_KEY, snapshotPrefix, tablePath } from '../../snapshots/layout.ts';
import { testLog, withdraw } from '../adapters/publish.ts';
import { workspaceId } from '../gateway/gateway.ts';
import { brandsInTables, publishTables } from '../gateway/snapshots.ts';
import { publishAll } from '../snapshots/log/places.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pageText } from './pages.ts';

/* The other recipes: commands.test.ts. */

test('docs/weeks.sql has every week of the store once, without mistaken and unpublished ones', async () => {
  const log = await testLog(await temporaryFolder());
  // More entries than one tile has, of snapshots without tables.
  await publishAll(log, 0, [...Array(300).keys()]);
  const ids: string[] = [];
  for (const day of ['2026-11-02', '2026-11-09', '2026-11-10', '2026-11-16'])
    ids.push(await publishTables(log, workspaceId, day));
  await withdraw(log, workspaceId, [{ snapshotId: ids[3]!, reason: 'mistaken' }]);
  // As a job leaves it that is killed before it writes the checkpoint.
  const { bytes } = (await log.store.get(CHECKPOINT_KEY))!;
  await publishTables(log, workspaceId, '2026-11-23');
  await writeFile(join(log.root, 'store', CHECKPOINT_KEY), bytes);
  const store = join(log.root, 'store');
  const unpublished = snapshotPrefix(workspaceId, ids[0]!.replace(/^20261102/, '20261026'));
  const file = join(store, unpublished, tablePath('brands'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"data":{"columns":[{"name":"brand_name"}],"rows":[["Nobody"]]}}\n');

  const database = await openDatabase({ scratch: log.root });
  onTestFinished(() => database.close());
  const sql = pageText('docs/weeks.sql').replaceAll('.data/store', store);
  const found = await rowsOf<{ as_of: Date; brand: string; visibility: number | null }>(
    await database.connect(),
    sql,
  );
  const [name, visibility] = ['brand_name', 'overall_visibility'].map((column) =>
    tables.brands.columns.findIndex((each) => each.name === column),
  ) as [number, number];
  const rows = brandsInTables
    .flatMap((given) => tables.brands.rowsOf(given))
    .toSorted((a, b) => (a[name]! < b[name]! ? -1 : 1));
  const expected = ['2026-11-02', '2026-11-10'].flatMap((day) =>
    rows.map((row) => [day, row[name], row[visibility]]),
  );
  expect(found.map((row) => [row.as_of.toISOString().slice(0, 10), row.brand, row.visibility])).toEqual(
    expected,
  );
});
