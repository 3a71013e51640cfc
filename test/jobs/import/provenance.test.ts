/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver } from '../jobs.ts';
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
