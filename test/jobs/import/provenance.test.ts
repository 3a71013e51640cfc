/** @module-tag long */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver, publish } from '../jobs.ts';
import { filesBelow } from '../lake.ts';
import { imported } from './imports.ts';

const answers = (ranAt: string, answer: string) =>
  `brand,prompt,engine,ran_at,answer\nAcme,Which?,ChatGPT,${ranAt},${answer}\n`;

/** Imports a spreadsheet of one answer. */
async function importOf(text: string) {
  const from = [join(await temporaryFolder(), 'answers.csv')];
  await writeFile(from[0]!, text);
  return await imported({ mapping: 'spreadsheet', from });
}

test('the ledger keeps where an imported drop comes from', async () => {
  const text = answers('2026-11-16', 'Acme');
  const { folder, files } = await importOf(text);
  const lake = join(await temporaryFolder(), 'lake');
  const report = await deliver(lake, { folder, date: '2026-11-16' });
  expect(report.ignored).toEqual([]);
  const [delivery] = await readLedger(directoryStore(lake));
  expect(delivery!.import).toEqual(JSON.parse(files['import.json']!));
  expect(delivery!.import).toMatchObject({
    mapping: { name: 'spreadsheet', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    sources: [{ file: 'answers.csv', sha256: sha256(text), bytes: text.length }],
    read: 1,
    kept: 1,
  });
});

test('a setting that names a customer does not reach the ledger; others do', async () => {
  const from = [join(await temporaryFolder(), 'answers.csv')];
  await writeFile(from[0]!, answers('16.11.2026', 'Acme'));
  const workspace_id = 'aaaaaaaa-0000-4000-8000-000000000001';
  const settings = { workspace: 'Halden & Moor', workspace_id, dates: 'DD.MM.YYYY' };
  const { folder } = await imported({ mapping: 'spreadsheet', from, settings });
  const lake = join(await temporaryFolder(), 'lake');
  await deliver(lake, { folder, date: '2026-11-16' });
  const [delivery] = await readLedger(directoryStore(lake));
  expect(delivery!.import!.settings).toEqual({ dates: 'DD.MM.YYYY' });
  const names = (await filesBelow(lake)).filter((file) => file.includes('/deliveries/'));
  expect(names).toHaveLength(1);
  expect(await readFile(names[0]!, 'utf8')).not.toMatch(/Halden|aaaaaaaa/);
});

test('an import.json that cannot be read stops ingest, which changes nothing', async () => {
  const { folder } = await importOf(answers('2026-11-16', 'Acme'));
  const lake = join(await temporaryFolder(), 'lake');
  for (const text of ['{', '{"format":2}']) {
    await writeFile(join(folder, 'import.json'), text);
    await expect(deliver(lake, { folder, date: '2026-11-16' })).rejects.toThrow(
      `${join(folder, 'import.json')} cannot be read: `,
    );
  }
  expect(await filesBelow(lake)).toEqual([]);
});

test('an old week that is imported again makes a new snapshot, and changes no published one', async () => {
  const folder = await temporaryFolder();
  const [lake, store] = [join(folder, 'lake'), join(folder, 'store')];
  const take = async (text: string) => {
    await deliver(lake, { folder: (await importOf(text)).folder, date: '2026-11-09' });
    await publish(lake, store, '2026-11-17T06:00:00Z');
  };
  const published = async () => {
    const files = (await filesBelow(store)).filter((file) => file.includes('/snapshots/'));
    return new Map(
      await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)),
    );
  };
  await take(answers('2026-11-09', 'Acme'));
  const first = await published();
  expect(first.size).toBeGreaterThan(0);
  await take(answers('2026-11-10', 'nobody'));
  const both = await published();
  expect(both.size).toBeGreaterThan(first.size);
  for (const [file, text] of first) expect(both.get(file)).toBe(text);
  const [workspace] = await readdir(join(store, 'workspaces'));
  expect(await readdir(join(store, 'workspaces', workspace!, 'snapshots'))).toHaveLength(2);
});
