import { spawnSync } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { describeWith } from '../../../support/requires.ts';

const id = '11111111-1111-4111-8111-111111111111';

/** Records of a running gateway with one workspace and its keys. */
async function running(keys: number) {
  const path = join(await temporaryFolder(), 'records.db');
  const records = openSqliteRecords(path, { clock: systemClock });
  await records.setWorkspace({ id, name: 'One', plan: 'agency', requestsPerMinute: 1_000_000 });
  const stored = Array.from({ length: keys }, () => storedForm(newKey()));
  for (const key of stored) await records.createKey(id, key, null);
  return { path, records, stored };
}

const changing = (prefix: string) => [
  ['key', 'revoke', prefix],
  ['key', 'create', id],
  ['workspace', 'set', id, '--name', 'One', '--plan', 'starter'],
];

describeWith(['strace'], 'a command on SQLite records', () => {
  test('syncs what it wrote before it returns, so that a revocation survives a power cut', async () => {
    const { path, records, stored } = await running(1);
    for (const args of changing(stored[0]!.prefix)) {
      const trace = join(await temporaryFolder(), 'trace');
      const traced = ['-f', '-y', '-e', 'trace=pwrite64,fsync,fdatasync', '-o', trace, process.execPath];
      const ended = spawnSync('strace', [...traced, 'gateway/records/commands/cli.ts', ...args], {
        env: { PATH: process.env['PATH'], RECORDS_URL: `sqlite:${path}` },
        encoding: 'utf8',
      });
      expect(ended).toMatchObject({ status: 0 });
      const log = (await readFile(trace, 'utf8'))
        .split('\n')
        .filter((line) => line.includes('records.db-wal>'));
      expect(log.filter((line) => line.includes('pwrite64('))).not.toEqual([]);
      expect(log.at(-1)).toMatch(/ f(data)?sync\(/);
    }
    await records.close(); // closed only here: the last process to close the file syncs too
  });
});

test('the WAL of SQLite shrinks after a long reader has ended', { tags: ['long'] }, async () => {
  const { path, records, stored } = await running(200);
  const reader = new DatabaseSync(path);
  reader.exec('begin; select count(*) from keys');
  reader.prepare('select count(*) from keys').get();
  const uses = stored.map(({ hash }) => ({ hash, requests: 1 }));
  const size = async () => (await stat(`${path}-wal`)).size;
  while ((await size()) < 20 * 1024 * 1024) for (let n = 0; n < 50; n += 1) await records.admit(uses);
  reader.close();
  for (let n = 0; n < 5; n += 1) await records.admit(uses);
  expect(await size()).toBeLessThanOrEqual(16 * 1024 * 1024);
  await records.close();
});

const asOwner = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];

test('a gateway refuses to start, with one line, if the records file cannot be written', async () => {
  const { path, records } = await running(1);
  await records.close();
  await chmod(path, 0o444);
  const args = [...asOwner, process.execPath, 'gateway/main.ts'];
  const store = await temporaryFolder();
  const ended = spawnSync('env', args, {
    env: {
      PATH: process.env['PATH'],
      RECORDS_URL: `sqlite:${path}`,
      STORE_URL: store,
      PORT: '0',
      METRICS_PORT: '0',
    },
    encoding: 'utf8',
    timeout: 50_000,
  });
  expect(ended.stderr).toBe(
    `sightline: records file ${path} cannot be used: attempt to write a readonly database\n`,
  );
  expect(ended.status).toBe(3);
});
