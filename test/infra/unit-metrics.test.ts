import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';

test('write-unit-metrics keeps the time of the last success; a skipped unit has no file', async () => {
  const METRICS_FOLDER = await temporaryFolder();
  const file = join(METRICS_FOLDER, 'sightline-backup-unit.prom');
  const unit = '{unit="sightline-backup"}';
  const end = async (SERVICE_RESULT: string) => {
    const env = { ...process.env, SERVICE_RESULT, METRICS_FOLDER };
    await promisify(execFile)(join(root, 'infra/write-unit-metrics'), ['sightline-backup'], { env });
    if (!existsSync(file)) return null;
    const samples = (await readFile(file, 'utf8')).matchAll(/^(sightline_\S+) (\S+)$/gm);
    return Object.fromEntries(
      [...samples].map(([, name, value]) => [name!.replace(unit, ''), Number(value)]),
    );
  };
  expect(await end('exit-code')).not.toHaveProperty('sightline_unit_last_success_timestamp_seconds');
  const first = (await end('success'))!;
  expect(first['sightline_unit_last_run_success']).toBe(1);
  const last = first['sightline_unit_last_success_timestamp_seconds']!;
  expect(last).toBeGreaterThan(Date.now() / 1000 - 600);
  expect(await end('oom-kill')).toMatchObject({
    sightline_unit_last_run_success: 0,
    sightline_unit_last_success_timestamp_seconds: last,
  });
  expect(readdirSync(METRICS_FOLDER)).toEqual(['sightline-backup-unit.prom']);
  expect(await end('exec-condition')).toBeNull();
});
