import * as fc from 'fast-check';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packNames, unpackNames } from '../../../jobs/weekly/facts/brand-names.ts';
import { mergeNames } from '../../../jobs/weekly/facts/merge.ts';
import { createNamesFile, openNamesFile } from '../../../jobs/weekly/facts/names-file.ts';
import { stabilityDocument } from '../../../jobs/weekly/stability.ts';
import { encodeDocument } from '../../../lib/documents/index.ts';
import type { Stability } from '../../../lib/documents/index.ts';
import { Failure } from '../../../lib/failure.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { competitors, cycles, meaningOf, meaningOfCycles, namesOfCycle, prompts } from './arbitrary-names.ts';

/** More than two words of bits. */
const histories = fc.array(cycles, { minLength: 1, maxLength: 70 });

const mergeAll = (history: readonly ReturnType<typeof namesOfCycle>[]) =>
  mergeNames(
    history.map((names, firstCycle) => ({ names, firstCycle })),
    history.length,
  );

test('names come out of their packed form as they went in', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const names = mergeAll(history.map(namesOfCycle));
      expect(unpackNames(packNames(names))).toEqual(names);
    }),
    { numRuns: 50 },
  );
});

test('merged at once, or onto a base of any length, names say what the cycles say', () => {
  fc.assert(
    fc.property(histories, fc.nat(), (history, cut) => {
      const parts = history.map(namesOfCycle);
      const expected = meaningOfCycles(history);
      expect(meaningOf(mergeAll(parts))).toEqual(expected);
      const firstCycle = cut % history.length;
      if (firstCycle === 0) return;
      const later = parts.slice(firstCycle).map((names, n) => ({ names, firstCycle: firstCycle + n }));
      const base = { names: mergeAll(parts.slice(0, firstCycle)), firstCycle: 0 };
      expect(meaningOf(mergeNames([base, ...later], history.length))).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test('a stability document is sound, and in canonical form', () => {
  const brand = { id: 'bbbbbbbb-0000-4000-8000-000000000001', name: 'Acme "the" brand', domain: '' };
  const promptRows = prompts
    .filter((_, n) => n !== 2)
    .map((id, n) => ({ id, text: `Which "tool"\n№ ${n}?` }));
  fc.assert(
    fc.property(histories, fc.subarray(competitors), (history, tracked) => {
      const rows = { brand, prompts: promptRows, competitors: tracked.map((id) => ({ id })) };
      const text = Buffer.from(stabilityDocument(rows, mergeAll(history.map(namesOfCycle)))).toString('utf8');
      const { data } = JSON.parse(text) as { data: Stability };
      expect(encodeDocument('stability', data).toString('utf8')).toBe(text);
      expect(data.prompts.map(({ promptId }) => promptId)).not.toContain(prompts[2]);
    }),
    { numRuns: 50 },
  );
});

test('a names file gives each brand alone, and tells of any byte that changed', async () => {
  const folder = await temporaryFolder();
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'names.bin');
  const [history] = fc.sample(fc.array(cycles, { minLength: 3, maxLength: 3 }), { numRuns: 1, seed: 7 });
  const brands = history!.map((cycle, n) => ({ id: `brand-${n}`, names: namesOfCycle(cycle) }));
  const writer = createNamesFile(path);
  for (const { id, names } of brands) writer.add(id, packNames(names));
  writer.finish();
  writer.close();
  const names = brands.map((brand) => brand.names);
  const readAll = (): unknown => {
    const file = openNamesFile(path);
    try {
      return brands.map(({ id }) => file.names(id));
    } finally {
      file.close();
    }
  };
  expect(readAll()).toEqual(names);
  const bytes = await readFile(path);
  for (let at = 0; at < bytes.length; at += 1) {
    const broken = Buffer.from(bytes);
    broken[at]! ^= 0x11;
    await writeFile(path, broken);
    expect(readAll, `byte ${at}`).toThrow(Failure);
  }
  for (const length of [0, 4, 8, bytes.length / 2]) {
    await writeFile(path, bytes.subarray(0, length));
    expect(readAll, `${length} bytes`).toThrow(Failure);
  }
  await writeFile(path, Buffer.alloc(64));
  expect(readAll).toThrow(Failure);
});
