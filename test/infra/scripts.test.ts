import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { script, settingsFolder } from './scripts.ts';

/* What else the scripts do, newcomer.ts and recovery.ts test on a machine. */

describeWith(['shellcheck'], 'shellcheck', () => {
  test('finds nothing wrong with the scripts', async () => {
    const { stdout: found } = await promisify(execFile)('git', ['grep', '-l', '^#!/bin/sh', '--', 'infra'], {
      cwd: root,
    });
    const paths = found.trim().split('\n');
    expect(paths.length).toBeGreaterThan(7);
    const checked = await promisify(execFile)('shellcheck', ['--shell=sh', ...paths], { cwd: root });
    expect(checked).toMatchObject({ stdout: '' });
  });
});

/** The time in the name of a drop. */
const daysAgo = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().replaceAll(/[-:]|\.\d+/g, '');

test('remove-drops removes what was ingested more than KEEP_DROPS_DAYS ago, and nothing if that is no number of days', async () => {
  const incoming = await temporaryFolder();
  const [old, fresh] = [3, 1].map((days) => `2026-01-01.ingested.${daysAgo(days)}`) as [string, string];
  const others = ['2026-01-01', `2026-01-02.failed.${daysAgo(99)}`, 'coming', fresh];
  for (const name of [...others, old]) await mkdir(join(incoming, name));
  const removeDrops = async (KEEP_DROPS_DAYS: string) => {
    const SETTINGS_FOLDER = await settingsFolder({ job: { KEEP_DROPS_DAYS } });
    await script('remove-drops', { SETTINGS_FOLDER }, incoming);
  };
  await expect(removeDrops('0')).rejects.toMatchObject({ code: 2 });
  await removeDrops(''); // 35
  expect(await readdir(incoming)).toContain(old);
  await removeDrops('2');
  expect((await readdir(incoming)).toSorted()).toEqual(others.toSorted());
});
