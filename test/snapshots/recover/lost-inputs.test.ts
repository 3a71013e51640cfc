/** @module-tag long */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, commandsIn, FROZEN } from '../../frozen/commands.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('log complete --from-store takes what a removal replaced for there, and refuses what the ledger names and is gone', async () => {
  const root = await temporaryFolder();
  for (const name of ['store', 'lake']) await cp(join(FROZEN, name), join(root, name), { recursive: true });
  const { job, audit } = commandsIn(root);
  expect(await job('remove', '--workspace', answers.workspaceId, '--yes')).toMatchObject({ status: 0 });
  await rm(join(root, 'lake/log'), { recursive: true });
  const { stdout } = await audit('log', 'complete', '--from-store', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ lost: { objects: [], snapshots: 0 } });
  await rm(join(root, 'lake/runs'), { recursive: true });
  expect(await audit('log', 'complete', '--from-store')).toMatchObject({ status: 1 });
});
