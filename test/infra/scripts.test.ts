import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
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

const brand = {
  id: '11111111-1111-4111-8111-111111111111',
  workspace_id: '22222222-2222-4222-8222-222222222222',
  name: 'Acme',
  domain: 'acme.example',
  created_at: '2026-01-01T00:00:00Z',
};

test('ingest-incoming leaves a drop while the lake cannot be reached or a setting is wrong, and ingests it afterwards', async () => {
  const incoming = await temporaryFolder();
  await mkdir(join(incoming, '2026-11-16'));
  await writeFile(join(incoming, '2026-11-16/brands.ndjson'), `${JSON.stringify(brand)}\n`);
  const ingest = async (settings: Record<string, string>) =>
    await script('ingest-incoming', settings, incoming);
  const away = {
    LAKE_URL: 's3://nowhere/lake',
    S3_ENDPOINT: 'http://127.0.0.1:1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
  };
  await expect(ingest(away)).rejects.toMatchObject({ code: 3 });
  await expect(ingest({ LAKE_URL: 's3://sl/lake' })).rejects.toMatchObject({ code: 2 });
  expect(await readdir(incoming)).toEqual(['2026-11-16']);
  await ingest({ LAKE_URL: await temporaryFolder() });
  expect((await readdir(incoming)).toSorted()).toEqual([
    '.ingested',
    expect.stringMatching(/^2026-11-16\.ingested\.\d{8}T\d{6}Z$/),
  ]);
});
