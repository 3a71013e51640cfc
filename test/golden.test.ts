/** @module-tag black-box */
import { appendFile, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { deliver } from './adapters/deliver.ts';
import { documentsOf, publish, settingsOf } from './adapters/publish.ts';
import { asOfCase, goldenAsOf, goldenFolders, goldenPath } from './golden/cases.ts';
import { parquetDrop } from './golden/parquet.ts';
import { expectedAnswers, serveCases, workspacesOf } from './golden/served.ts';
import { temporaryFolders } from './support/folder.ts';

const newFolder = temporaryFolders();
let folder: string;
let drop: string;
let store: string;
let served: Awaited<ReturnType<typeof serveCases>>;

/* All cases are one drop, in which no two share an id. */
beforeAll(async () => {
  folder = await newFolder();
  drop = await dropOfAllCases(join(folder, 'drop'));
  store = await published(drop, 'ndjson');
  served = await serveCases(goldenFolders, folder, { ...settingsOf(store), STORE_URL: store });
  return async () => await served.stop();
});

test.each(goldenFolders)(
  'over HTTP, the gateway returns the exact bytes of the golden case %s',
  async (name) => {
    expect(await served.answersTo(name)).toEqual(expectedAnswers(name));
  },
);

test('from a drop in Parquet, all golden cases have the same bytes', { tags: ['long'] }, async () => {
  const other = await published(await parquetDrop(drop, join(folder, 'parquet-drop')), 'parquet');
  for (const id of goldenFolders.flatMap(workspacesOf))
    expect([id, await documentsOf(other, id)]).toEqual([id, await documentsOf(store, id)]);
});

/** Joins the tracking files of all cases; the files of runs stay as they are, under other names. */
async function dropOfAllCases(to: string): Promise<string> {
  await mkdir(to);
  for (const name of goldenFolders)
    for (const file of await readdir(goldenPath(name, 'drop'))) {
      const from = goldenPath(name, `drop/${file}`);
      if (file.startsWith('runs')) await copyFile(from, join(to, file.replace('runs', `runs-${name}`)));
      else {
        const bytes = await readFile(from);
        await appendFile(join(to, file.replace('.gz', '')), file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
      }
    }
  return to;
}

/** Publishes a drop of all cases, each as of its instant. @returns the store */
async function published(from: string, name: string): Promise<string> {
  const [lake, to] = [join(folder, name, 'lake'), join(folder, name, 'store')];
  const { refusals, files } = await deliver(lake, { folder: from, date: '2026-11-16' });
  expect(refusals).toEqual([]);
  expect(files).toHaveLength((await readdir(from)).length);
  await publish(lake, to, goldenAsOf, { threads: 2 });
  for (const other of goldenFolders.filter((each) => asOfCase(each) !== goldenAsOf))
    await publish(lake, to, asOfCase(other), { workspaces: workspacesOf(other) });
  return to;
}
