import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import type { Cell } from '../../lib/tables/names.ts';
import { tables } from '../../lib/tables/tables.ts';
import { snapshotPrefix, tablePath } from '../../snapshots/layout.ts';
import { testLog, withdraw } from '../adapters/publish.ts';
import { startListeningGateway, workspaceId } from '../gateway/gateway.ts';
import type { ListeningGateway } from '../gateway/gateway.ts';
import { brandsInTables, publishTables } from '../gateway/snapshots.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeUnlessMissing, describeWith } from '../support/requires.ts';
import { markedBlock, pageText } from './pages.ts';

const page = 'docs/recipes.md';
const block = (name: string) => markedBlock(page, `recipes: ${name}`);

let gateway: ListeningGateway;
let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  gateway = await startListeningGateway(undefined, { log: await testLog(folder) });
  onTestFinished(() => gateway.close());
  await publishTables(gateway.log, workspaceId, '2026-11-23');
  await gateway.documents.refresh();
});

async function run(program: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key };
  return (await promisify(execFile)(program, words, { cwd: folder, env })).stdout;
}

/** The rows of a table as objects, from the documents. */
function rowsIn(name: 'share_of_voice' | 'visibility' | 'brands'): Record<string, Cell>[] {
  const names = tables[name].columns.map((column) => column.name);
  const rows = brandsInTables.flatMap((given) => tables[name].rowsOf(given));
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [names[at]!, cell])));
}

async function query<Row>(sql: string): Promise<Row[]> {
  const database = await openDatabase({ scratch: folder });
  onTestFinished(() => database.close());
  return await rowsOf<Row>(await database.connect(), sql);
}

describeWith(['curl'], 'DuckDB', () => {
  test('reads the table that curl downloaded', async () => {
    await run('sh', '-euc', block('curl'));
    const sql = block('duckdb').replace("'share_of_voice.json'", `'${folder}/share_of_voice.json'`);
    const found = await query<{ brand: string; name: string; sov_pct: number }>(sql);
    const expected = rowsIn('share_of_voice').map((row) => [row['brand_name'], row['name'], row['sov_pct']]);
    expect(expected.length).toBeGreaterThan(3);
    expect(found.map(({ brand, name, sov_pct }) => [brand, name, sov_pct])).toEqual(
      expect.arrayContaining(expected),
    );
    expect(found).toHaveLength(expected.length);
  });
});

/** The first Python that has pandas: the one of Debian's package need not be the first one. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import pandas']).status === 0,
);
const missing = python === undefined ? ['pandas'] : [];
describeUnlessMissing(missing, 'apt-get install python3-pandas', 'pandas', () => {
  test('prints the scores by brand and engine', async () => {
    const printed = await run(python!, '-c', block('pandas'));
    const [header, line] = printed.trim().split('\n');
    const scores = rowsIn('visibility').toSorted((a, b) => (a['engine']! < b['engine']! ? -1 : 1));
    expect(header).toBe(['brand_name', ...scores.map(({ engine }) => engine)].join(','));
    const [brand, ...shown] = line!.split(',');
    expect([brand, ...shown.map(Number)]).toEqual([
      scores[0]!['brand_name'],
      ...scores.map(({ score }) => score),
    ]);
  });
});

test('docs/weeks.sql has every week of the store once, without mistaken and unpublished ones', async () => {
  const days = ['2026-11-02', '2026-11-09', '2026-11-10', '2026-11-16'];
  const ids: string[] = [];
  for (const day of days) ids.push(await publishTables(gateway.log, workspaceId, day));
  await withdraw(gateway.log, workspaceId, [{ snapshotId: ids[3]!, reason: 'mistaken' }]);
  const store = join(gateway.log.root, 'store');
  const unpublished = join(
    store,
    snapshotPrefix(workspaceId, ids[0]!.replace(/^20261102/, '20261026')),
    tablePath('brands'),
  );
  await mkdir(dirname(unpublished), { recursive: true });
  await writeFile(unpublished, '{"data":{"columns":[{"name":"brand_name"}],"rows":[["Nobody"]]}}\n');
  const sql = pageText('docs/weeks.sql').replaceAll('.data/store', store);
  const found = await query<{ as_of: Date; brand: string; visibility: number | null }>(sql);
  const ofUs = found.filter(({ brand }) => brandsInTables.some((given) => given.brand.name === brand));
  const expected = ['2026-11-02', '2026-11-10', '2026-11-23'].flatMap((day) =>
    rowsIn('brands')
      .map((row) => [day, row['brand_name'], row['overall_visibility']] as const)
      .toSorted((a, b) => (a[1]! < b[1]! ? -1 : 1)),
  );
  expect(ofUs.map((row) => [row.as_of.toISOString().slice(0, 10), row.brand, row.visibility])).toEqual(
    expected,
  );
  expect(found.map(({ brand }) => brand)).not.toContain('Nobody');
});
