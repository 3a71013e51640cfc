/** @module-tag long */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formats } from '../../../jobs/export/write.ts';
import { runProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeUnlessMissing } from '../../support/requires.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks } from './published.ts';
import { testLog } from '../../snapshots/publish.ts';

const missing = process.getuid?.() === 0 ? [] : ['the rights of root'];
describeUnlessMissing(missing, 'be root', 'a disk that is full', () => {
  test.each(formats)('is a clear line, and leaves nothing of the %s files', async (format) => {
    const folder = await temporaryFolder();
    const { store, keys, ...log } = await testLog(folder);
    await publishWeeks({ ...log, store, keys }, goldenWeeks);
    const disk = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk]);
    onTestFinished(() => void execFileSync('umount', [disk]));
    const given = ['--to', join(disk, 'export'), '--format', format, '--weeks', 'all', '--store', store.url];
    // Otherwise the disk lies in the scratch folder, whose lack of room is worth another try: status 3.
    const ended = await runProgram('jobs/cli.ts', ['export', ...given], {
      TMPDIR: folder,
      PUBLIC_KEY_FILE: keys.publicKey,
    });
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^sightline: \S*export cannot be written: .*no space left on device.*\n$/i);
    expect(await readdir(disk)).toEqual([]);
  });
});
