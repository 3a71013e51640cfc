/** @module-tag long */
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Provenance } from '../../../jobs/lake/provenance.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { textsIn } from './imports.ts';

const golden = join(import.meta.dirname, 'golden');
const cases = readdirSync(golden).filter((name) => !name.endsWith('.md'));

/** Without what changes with the code: the version, and the hash of the mapping. */
function withoutCode(text: string): string {
  const { version: _, mapping, ...provenance } = JSON.parse(text) as Provenance;
  return `${JSON.stringify({ ...provenance, mapping: mapping.name }, null, 2)}\n`;
}

/** The notes of a report have no order. */
const withSortedNotes = (printed: string) =>
  printed.replace(/(?<=\nNotes:\n)(?: {2}.*\n)+/, (notes) =>
    notes
      .split(/(?<=\n)/)
      .toSorted()
      .join(''),
  );

/** What `import` writes and prints for a case: the drop, the file of problems, and the report or the error. */
async function importedCase(name: string, folder: string) {
  const args = JSON.parse(readFileSync(join(golden, name, 'args.json'), 'utf8')) as string[];
  const [drop, problems] = [join(folder, 'drop'), join(folder, 'problems.csv')];
  const ended = await runHere(
    'job',
    ['import', ...args, '--from', 'from', '--to', drop, '--problems', problems],
    { folder: join(golden, name) },
  );
  const made = ended.status === 0 ? await textsIn(drop) : {};
  const { 'import.json': provenance, ...records } = made;
  return {
    status: ended.status,
    drop,
    texts: {
      ...records,
      ...(provenance === undefined ? {} : { 'import.json': withoutCode(provenance) }),
      'problems.csv': await readFile(problems, 'utf8'),
      'printed.txt': withSortedNotes(`${ended.stdout}${ended.stderr}`.replaceAll(drop, 'drop')),
    },
  };
}

async function expectExpected(name: string, texts: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(texts))
    await expect(text).toMatchFileSnapshot(join(golden, name, 'expected', file));
}

test('every mapping that ships has a sample', () => {
  const shipped = readdirSync(join(import.meta.dirname, '../../../jobs/import/mappings'));
  expect(cases).toEqual(expect.arrayContaining(shipped));
});

test.each(cases.filter((name) => !name.startsWith('refused-')))(
  '%s: the import makes the expected drop, says what is not in it, and ingest takes all of it',
  async (name) => {
    const folder = await temporaryFolder();
    const { status, drop, texts } = await importedCase(name, folder);
    expect(status).toBe(0);
    await expectExpected(name, texts);
    expect(Object.keys(texts).toSorted()).toEqual(readdirSync(join(golden, name, 'expected')).toSorted());
    const [, date] = / --date (\S+)$/m.exec(texts['printed.txt'])!;
    const lake = join(folder, 'lake');
    const ingest = ['ingest', '--from', drop, '--lake', lake, '--date', date!, '--strict', '--json'];
    const ingested = await runHere('job', ingest);
    expect(ingested).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(ingested.stdout)).toMatchObject({ refusals: [], ignored: [] });
  },
);

test.each(cases.filter((name) => name.startsWith('refused-')))(
  '%s: the import names everything that has to be mended, and writes no drop',
  async (name) => {
    const folder = await temporaryFolder();
    const { status, texts } = await importedCase(name, folder);
    expect(status).toBe(1);
    await expectExpected(name, texts);
    expect(readdirSync(folder)).toEqual(['problems.csv']);
  },
);
