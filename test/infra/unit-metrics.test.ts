import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { temporaryFolders } from '../support/folder.ts';

const newFolder = temporaryFolders();

describe('write-unit-metrics', () => {
  let metrics: string;
  beforeAll(async () => {
    metrics = await newFolder();
  });
  const file = () => join(metrics, 'sightline-backup-unit.prom');
  const end = async (result: string) =>
    await promisify(execFile)(join(root, 'infra/write-unit-metrics'), ['sightline-backup'], {
      env: { ...process.env, SERVICE_RESULT: result, METRICS_FOLDER: metrics },
    });

  test('for a unit that was skipped there is no file, also after it once ran', async () => {
    for (const before of ['exec-condition', 'success', 'exit-code']) {
      await end(before);
      await end('exec-condition');
      expect(existsSync(file())).toBe(false);
    }
  });

  test('writes when the unit ended and whether it succeeded, and keeps the time of the last success', async () => {
    await end('success');
    const first = parseSamples(await readFile(file(), 'utf8'));
    const unit = '{unit="sightline-backup"}';
    expect(first[`sightline_unit_last_run_success${unit}`]).toBe(1);
    const last = first[`sightline_unit_last_success_timestamp_seconds${unit}`]!;
    expect(last).toBeGreaterThan(Date.now() / 1000 - 600);
    await end('oom-kill');
    const second = parseSamples(await readFile(file(), 'utf8'));
    expect(second[`sightline_unit_last_run_success${unit}`]).toBe(0);
    expect(second[`sightline_unit_last_success_timestamp_seconds${unit}`]).toBe(last);
    expect(readdirSync(metrics)).toEqual(['sightline-backup-unit.prom']);
  });

  test('a unit that never succeeded has no time of success', async () => {
    await rm(file(), { force: true });
    await end('exit-code');
    expect(await readFile(file(), 'utf8')).not.toContain('last_success');
  });
});

function parseSamples(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0]!, Number(line.split(' ')[1])]));
}
