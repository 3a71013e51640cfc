/** @module-tag long */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, commandsIn, FROZEN } from '../../frozen/commands.ts';
import { filesBelow } from '../../jobs/lake.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('log complete --from-store refuses a lake without what the snapshots were computed from, or lists it', async () => {
  const root = await temporaryFolder();
  for (const name of ['store', 'lake']) await cp(join(FROZEN, name), join(root, name), { recursive: true });
  const lake = join(root, 'lake');
  const { job, audit } = commandsIn(root);
  const complete = async (...options: string[]) => await audit('log', 'complete', '--from-store', ...options);

  // A removal replaced objects that the snapshots name.
  expect(await job('remove', '--workspace', answers.workspaceId, '--yes')).toMatchObject({ status: 0 });
  await rm(join(lake, 'log'), { recursive: true });
  const ended = await complete('--json');
  expect(JSON.parse(ended.stdout)).toMatchObject({ lost: { objects: [], snapshots: 0 } });

  // Objects that the ledger names are gone.
  await rm(join(lake, 'runs'), { recursive: true });
  expect(await complete()).toMatchObject({ status: 1 });

  // The lake is lost, with its ledger.
  await rm(lake, { recursive: true });
  expect(await job('ingest', '--new-lake')).toMatchObject({ status: 0 });
  const before = await filesBelow(lake);
  const { status, stdout, stderr } = await complete();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^sightline: \S+lake does not have \d+ objects that 2 snapshots were computed from: mount or restore the lake, .*add --lake-is-lost: these weeks then stay verifiable, and cannot be rebuilt\n/,
  );
  expect(await filesBelow(lake)).toEqual(before);

  expect((await complete('--lake-is-lost')).stdout).toMatch(
    /^The lake does not have \d+ objects that 2 snapshots were computed from: these weeks stay verifiable and cannot be rebuilt, .*\n(?:runs|tracking)\/[^]*\nThe lake remembers the log of /,
  );
  expect((await audit('verify')).stdout).toContain('\nIntact.\n');
});
