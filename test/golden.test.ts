/** @module-tag black-box */
import { appendFile, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { deliver } from './adapters/deliver.ts';
import { publish, settingsOf } from './adapters/publish.ts';
import { asOfCase, goldenAsOf, goldenFolders, goldenPath } from './golden/cases.ts';
import { toParquet } from './golden/parquet.ts';
import { expectedAnswers, serveWorkspaces, workspacesOf } from './golden/served.ts';
import { temporaryFolders } from './support/folder.ts';

const newFolder = temporaryFolders();
const idsOf = (name: string) => Object.keys(workspacesOf(name));
let folder: string;
let served: Awaited<ReturnType<typeof serveWorkspaces>>;

/* All cases are one drop, in which no two share an id; every second file is Parquet. */
beforeAll(async () => {
  folder = await newFolder();
  const drop = await dropOfAllCases(join(folder, 'drop'));
  for (const [at, file] of (await readdir(drop)).toSorted().entries())
    if (at % 2 === 1) await toParquet(join(drop, file));
  const store = await published(drop);
  served = await serveWorkspaces(goldenFolders.flatMap(idsOf), folder, {
    ...settingsOf(store),
    STORE_URL: store,
  });
  return async () => await served.stop();
});

test.each(goldenFolders)(
  'over HTTP, the gateway returns the exact bytes of the golden case %s',
  async (name) => {
    const expected = expectedAnswers(workspacesOf(name));
    expect(await served.answersTo(expected)).toEqual(expected);
  },
);

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
async function published(from: string): Promise<string> {
  const [lake, to] = [join(folder, 'lake'), join(folder, 'store')];
  const { refusals, files } = await deliver(lake, { folder: from, date: '2026-11-16' });
  expect(refusals).toEqual([]);
  expect(files).toHaveLength((await readdir(from)).length);
  await publish(lake, to, goldenAsOf, { threads: 2 });
  for (const other of goldenFolders.filter((each) => asOfCase(each) !== goldenAsOf))
    await publish(lake, to, asOfCase(other), { workspaces: idsOf(other) });
  return to;
}
