import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';

const brand = {
  id: '11111111-1111-4111-8111-111111111111',
  workspace_id: '22222222-2222-4222-8222-222222222222',
  name: 'Acme',
  domain: 'acme.example',
  created_at: '2026-01-01T00:00:00Z',
};

// What it does with good and with refused drops, newcomer.ts tests on a machine.
describe('infra/systemd/ingest-incoming', () => {
  let folder: string;
  let incoming: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    incoming = join(folder, 'incoming');
  });

  async function drop(date: string, text: string): Promise<void> {
    await mkdir(join(incoming, date), { recursive: true });
    await writeFile(join(incoming, date, 'brands.ndjson'), text);
  }

  const good = `${JSON.stringify(brand)}\n`;

  /** True if systemd is asked to run the weekly job again. */
  const isAnnounced = async () => (await readdir(incoming)).includes('.ingested');

  /** Its exit status, and the names in the folder without their times. */
  async function ingest(settings: Record<string, string>): Promise<[number, string[]]> {
    const child = spawn(join(root, 'infra/systemd/ingest-incoming'), [incoming], {
      env: { PATH: process.env['PATH'], LAKE_URL: join(folder, 'lake'), ...settings },
      stdio: 'ignore',
    });
    const [status] = (await once(child, 'exit')) as [number];
    const names = (await readdir(incoming)).filter((name) => !name.startsWith('.'));
    return [status, names.map((name) => name.replace(/\.\d{8}T\d{6}Z$/, '')).toSorted()];
  }

  test('leaves the drops while the lake cannot be reached, with status 3, and ingests them afterwards', async () => {
    await drop('2026-11-09', good);
    await drop('2026-11-16', good.replace('Acme', 'Acme Ltd'));
    const away = {
      LAKE_URL: 's3://nowhere/lake',
      S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_MAX_ATTEMPTS: '1',
    };
    expect(await ingest(away)).toEqual([3, ['2026-11-09', '2026-11-16']]);
    expect(await isAnnounced()).toBe(false);
    expect(await ingest({})).toEqual([0, ['2026-11-09.ingested', '2026-11-16.ingested']]);
    expect(await isAnnounced()).toBe(true);
  });

  test('leaves the drops if a setting is wrong, with status 2', async () => {
    await drop('2026-11-09', good);
    expect(await ingest({ LAKE_URL: 's3://sl/lake' })).toEqual([2, ['2026-11-09']]);
  });
});
