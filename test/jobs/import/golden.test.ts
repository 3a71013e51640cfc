/** @module-tag long */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Provenance } from '../../../jobs/lake/provenance.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { deliver } from '../jobs.ts';
import { imported, textsIn } from './imports.ts';
import type { Given, Imported } from './imports.ts';

const golden = join(import.meta.dirname, 'golden');
const newFolder = temporaryFolders();
const shipped = readdirSync(join(import.meta.dirname, '../../../jobs/import/mappings'));

/** Without what changes with the code: the version, and the hash of the mapping. */
function withoutCode({ 'import.json': text, ...files }: Record<string, string>) {
  const { version: _, mapping, ...provenance } = JSON.parse(text!) as Provenance;
  return { ...files, 'import.json': { ...provenance, mapping: mapping.name } };
}

test('every mapping that ships has a sample with the drop that it must make', () => {
  expect(readdirSync(golden)).toEqual(shipped);
});

describe.each(shipped)('%s', (name) => {
  const options = JSON.parse(readFileSync(join(golden, name, 'options.json'), 'utf8')) as Partial<Given>;
  const given: Given = { ...options, mapping: name, from: [join(golden, name, 'from')] };

  let made: Imported;
  beforeAll(async () => {
    made = await imported({ ...given, to: join(await newFolder(), 'drop') });
  });

  test('makes the expected drop of its sample', async () => {
    expect(withoutCode(made.files)).toEqual(withoutCode(await textsIn(join(golden, name, 'expected'))));
  });

  test('makes a drop that ingest takes without a refusal', async () => {
    const { folder, report } = made;
    const lake = join(await newFolder(), 'lake');
    const ingested = await deliver(lake, { folder, date: report.newestCycle! });
    expect(ingested.refusals).toEqual([]);
    expect(ingested.files.find(({ kind }) => kind === 'runs')!.ingested).toBe(report.kept);
  });

  test('says what its source cannot tell', () => {
    expect(made.report.notes.join(' ')).toMatch(/Sentiment is null/);
  });
});
