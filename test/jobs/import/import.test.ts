/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { importExport } from '../../../jobs/import/import.ts';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { deliver } from '../jobs.ts';
import { filesBelow } from '../lake.ts';
import { imported } from './imports.ts';

const csv = (rows: readonly string[]) =>
  ['brand,prompt,engine,ran_at,answer,status', ...rows].map((line) => `${line}\n`).join('');
const answer = 'Acme,Which?,grok,2026-11-16,Acme,';

/** Of two different answers of one prompt, engine and instant the first counts: here are none. */
const rows = [
  answer,
  'Acme,Which?,grok,2026-11-17,Globex and Acme,',
  'Acme,Which?,grok,2026-11-17T01:00:00Z,,failed',
  'Acme,Which?,grok,2026-11-25,none,',
  'Acme,Which?,Claude,2026-11-16,,',
  'Acme,Who?,Claude,2026-11-16,Globex,',
  'Globex,Which?,grok,2026-11-16,Globex,',
];

test('the order of files and of rows, and rows that come twice, change nothing in the drop', async () => {
  const { 'import.json': _, ...expected } = (await imported({ 'a.csv': csv(rows) })).files;
  const orders = fc.tuple(
    fc.shuffledSubarray(rows, { minLength: rows.length }),
    fc.subarray(rows),
    fc.nat(rows.length),
  );
  await fc.assert(
    fc.asyncProperty(orders, async ([shuffled, again, cut]) => {
      const parts = {
        'y.csv': csv(shuffled.slice(0, cut)),
        'x.csv': csv([...shuffled.slice(cut), ...again]),
      };
      const { 'import.json': __, ...files } = (await imported(parts)).files;
      expect(files).toEqual(expected);
    }),
    { numRuns: 2 },
  );
});

test('a second import of the same files into a folder changes nothing, and one into a folder of anything else is refused', async () => {
  const { report, options } = await imported({ 'a.csv': csv([answer]) });
  expect(report.isKnown).toBe(false);
  expect((await importExport(options)).isKnown).toBe(true);
  await writeFile(join(options.to, 'runs.ndjson'), 'mine');
  await expect(importExport(options)).rejects.toThrow('is not empty; choose another folder');
  expect(await readFile(join(options.to, 'runs.ndjson'), 'utf8')).toBe('mine');
});

test('answers may contain lines that look like rows of the export, in a large file too', async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `${n},Acme,5,yes,good,a,b`).join('\n');
  const many = Array.from({ length: 4000 }, (_, n) => `Acme,Which ${n}?,grok,2026-11-16,"${lines}",`);
  expect((await imported({ 'answers.csv': csv(many) })).report.kept).toBe(4000);
});

test('the ledger keeps where an imported drop comes from, without the settings that name a customer', async () => {
  const folder = await temporaryFolder();
  const text = csv([answer.replace('2026-11-16', '16.11.2026')]);
  await writeFile(join(folder, 'answers.csv'), text);
  const named = [
    '--set',
    'workspace=Halden & Moor',
    '--set',
    'workspace_id=aaaaaaaa-0000-4000-8000-000000000001',
  ];
  const args = ['--mapping', 'spreadsheet', '--from', 'answers.csv', '--to', 'drop', '--json'];
  const ended = await runHere('job', ['import', ...args, ...named, '--set', 'dates=DD.MM.YYYY'], { folder });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({ read: 1, kept: 1, newestCycle: '2026-11-16' });
  const lake = join(folder, 'lake');
  expect((await deliver(lake, { folder: join(folder, 'drop'), date: '2026-11-16' })).ignored).toEqual([]);
  const [delivery] = await readLedger(directoryStore(lake));
  expect(delivery!.import).toMatchObject({
    mapping: { name: 'spreadsheet', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    sources: [{ file: 'answers.csv', sha256: sha256(text), bytes: text.length }],
    settings: { dates: 'DD.MM.YYYY' },
    read: 1,
    kept: 1,
  });
  expect(JSON.stringify(delivery)).not.toMatch(/Halden|aaaaaaaa/);
});

test('an import.json that cannot be read stops ingest, which changes nothing', async () => {
  const { folder } = await imported({ 'a.csv': csv([answer]) });
  const lake = join(await temporaryFolder(), 'lake');
  for (const text of ['{', '{"format":2}']) {
    await writeFile(join(folder, 'import.json'), text);
    await expect(deliver(lake, { folder, date: '2026-11-16' })).rejects.toThrow(
      `${join(folder, 'import.json')} cannot be read: `,
    );
  }
  expect(await filesBelow(lake)).toEqual([]);
});
