/** @module-tag slow */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { textsIn } from './imports.ts';

const golden = join(import.meta.dirname, 'golden');
const cases = readdirSync(golden).filter((name) => !name.endsWith('.md'));
const shipped = readdirSync(join(import.meta.dirname, '../../../jobs/import/mappings'));

/** Without what changes with the code: the version, and the hash of the mapping. */
const withoutCode = (text: string) =>
  text
    .replace(/ +"version": .*\n/, '')
    .replace(/"mapping": \{\s+"name": (".*"),\s+"sha256": ".*"\s+\}/, '"mapping": $1');

/** The notes of a report have no order. */
const withSortedNotes = (printed: string) =>
  printed.replace(/(?<=\nNotes:\n)(?: {2}.*\n)+/, (notes) =>
    notes
      .split(/(?<=\n)/)
      .toSorted()
      .join(''),
  );

/** Expects that `import` writes and prints what a case has: the drop, the file of problems, and the report or the error. */
async function expectExpected(name: string, folder: string, status: number) {
  const args = JSON.parse(readFileSync(join(golden, name, 'args.json'), 'utf8')) as string[];
  const [drop, problems] = [join(folder, 'drop'), join(folder, 'problems.csv')];
  const ended = await runHere(
    'job',
    ['import', '--problems', problems, ...args, '--from', 'from', '--to', drop],
    { folder: join(golden, name) },
  );
  expect(ended.status).toBe(status);
  const { 'import.json': provenance, ...records } = status === 0 ? await textsIn(drop) : {};
  const printed = `${ended.stdout}${ended.stderr}`
    .replaceAll(drop, 'drop')
    .replaceAll(join(golden, name, '/'), '');
  const texts: Record<string, string> = {
    ...records,
    ...(provenance === undefined ? {} : { 'import.json': withoutCode(provenance) }),
    ...(await textsIn(folder)),
    'printed.txt': withSortedNotes(printed),
  };
  for (const [file, text] of Object.entries(texts))
    await expect(text).toMatchFileSnapshot(join(golden, name, 'expected', file));
  const expected = readdirSync(join(golden, name), { recursive: true }).filter((file) =>
    String(file).startsWith('expected/'),
  );
  expect(Object.keys(texts).map((file) => `expected/${file}`)).toEqual(expect.arrayContaining(expected));
  return { drop, printed };
}

test('every mapping that ships has a sample', () => {
  expect(cases).toEqual(expect.arrayContaining(shipped));
});

/** These reach most of what imports do and refuse. A second of CPU time each. */
const refused = ['cells', 'column', 'twice', 'mapping-that-allows-itself-more'];
const quick = new Set([
  ...shipped,
  'cells',
  'mine',
  'weekly',
  'workbook',
  ...refused.map((name) => `refused-${name}`),
]);

for (const isQuick of [true, false]) {
  const tags = isQuick ? [] : ['long'];
  const some = cases.filter((name) => quick.has(name) === isQuick);

  test.each(some.filter((name) => !name.startsWith('refused-')))(
    '%s: the import makes the expected drop, says what is not in it, and ingest takes all that a mapping that ships made',
    { tags },
    async (name) => {
      const folder = await temporaryFolder();
      const { drop, printed } = await expectExpected(name, folder, 0);
      // A second of an ingest each: of odd names and cells the drop itself is compared.
      if (!shipped.includes(name)) return;
      const [, date] = / --date (\S+)$/m.exec(printed)!;
      const lake = join(folder, 'lake');
      const ingest = ['ingest', '--from', drop, '--lake', lake, '--date', date!, '--strict', '--json'];
      const ingested = await runHere('job', ingest);
      expect(ingested).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(ingested.stdout)).toMatchObject({ refusals: [], ignored: [] });
    },
  );

  test.each(some.filter((name) => name.startsWith('refused-')))(
    '%s: the import names everything that has to be mended, and writes no drop',
    { tags },
    async (name) => {
      const folder = await temporaryFolder();
      await expectExpected(name, folder, 1);
      expect(readdirSync(folder).filter((file) => file !== 'problems.csv')).toEqual([]);
    },
  );
}
