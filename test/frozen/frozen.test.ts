/**
 * @module-tag black-box
 * @module-tag long
 */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { expectedAnswers, serveWorkspaces, workspacesOf } from '../golden/served.ts';
import { temporaryFolders } from '../support/folder.ts';
import { answers, commandsIn, FROZEN, partOfSmall } from './commands.ts';

const newFolder = temporaryFolders();
let root: string;
/* A copy, which the test continues. */
beforeAll(async () => {
  root = await newFolder();
  for (const name of ['store', 'lake']) await cp(join(FROZEN, name), join(root, name), { recursive: true });
});

/* test/snapshots/sessions/rebuild.txt: they are intact, and both weeks come out of the lake as they were published. */

test('a store and a lake that an earlier version wrote are continued: the next week is published, and over HTTP those before it have the documents that they had', async () => {
  const { job, audit, settings } = commandsIn(root);
  const drop = await partOfSmall(root, 'next', /^(brands|workspaces|prompts|competitors)/);
  const run = { ...answers.nextRun, id: 'eeeeeeee-0000-4000-8000-000000000001', status: 'success' };
  await writeFile(join(drop, 'runs.ndjson'), `${JSON.stringify(run)}\n`);
  expect((await job('ingest', '--from', drop, '--date', '2026-11-20')).status).toBe(0);
  // What is frozen grows older.
  expect((await job('weekly', '--as-of', '2026-11-23T06:00:00Z', '--accept-clock')).status).toBe(0);
  expect((await audit('verify')).status).toBe(0);
  const { workspaceId, olderWeek } = answers;
  const served = await serveWorkspaces([workspaceId], root, settings);
  const { text } = await served.answerTo(workspaceId, '/snapshots');
  const listed = (JSON.parse(text) as { data: { id: string; asOf: string }[] }).data;
  expect(listed.map(({ asOf }) => asOf.slice(0, 10))).toEqual(['2026-11-23', '2026-11-16', '2026-11-09']);
  for (const [at, week] of [workspacesOf('small'), { [workspaceId]: olderWeek }].entries()) {
    const expected = expectedAnswers(week, `/snapshots/${listed[at + 1]!.id}`);
    expect(await served.answersTo(expected)).toEqual(expected);
  }
  const current = expectedAnswers(workspacesOf('small'));
  expect(await served.answersTo(current)).not.toEqual(current);
  await served.stop();
});
