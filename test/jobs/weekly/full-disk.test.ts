import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { describeUnlessMissing } from '../../support/requires.ts';
import { missingForSmallDisk, PAGE, smallDisk } from '../../support/small-disk.ts';
import { settingsOf } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import { ids } from '../records.ts';
import { other, twoWorkspaces } from './two-workspaces.ts';

describeUnlessMissing(missingForSmallDisk, 'be root', 'a full disk', () => {
  test('of the store is one line, however many workspaces cannot be written', async () => {
    const { lake, ingested } = await testLake();
    await ingested(twoWorkspaces);
    const disk = await smallDisk(80);
    const store = join(disk, 'store');
    await writeFile(join(disk, 'filler'), Buffer.alloc(78 * PAGE));
    const at = ['--lake', lake, '--store', store, '--as-of', AS_OF];
    const ended = await runHere('job', ['weekly', ...at], { settings: settingsOf('a store') });
    const full = `${store} cannot be written: its disk is full`;
    expect(ended).toMatchObject({
      status: 3,
      stderr: `sightline: 2 of 2 workspaces were not published: ${ids.workspace}, ${other}: ${full}\n`,
    });
    expect(ended.stdout.split(full)).toHaveLength(2);
    expect(ended.stdout).toMatch(new RegExp(`^${ids.workspace} and 1 more +failed +`, 'm'));
  });
});
