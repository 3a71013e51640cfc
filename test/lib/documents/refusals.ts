import { expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import type { DocumentName } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';

/** A name, a change of a valid document, and the beginning of the expected complaint. */
export type Refusal<Name extends DocumentName> = [
  what: string,
  spoil: (document: Documents[Name]) => void,
  complaint: string,
];

/** Each changed copy of a valid document must be refused with its complaint. */
export function testRefusals<Name extends DocumentName>(
  name: Name,
  sound: Documents[Name],
  refusals: readonly Refusal<Name>[],
): void {
  test('the unchanged document is valid', () => {
    expect(complaintsAbout(name, sound)).toEqual([]);
  });

  test.each(refusals)('refuses %s', (_, spoil, complaint) => {
    const spoiled = structuredClone(sound);
    spoil(spoiled);
    const complaints = complaintsAbout(name, spoiled);
    expect(complaints.filter((line) => line.startsWith(complaint))).not.toEqual([]);
  });
}

export function swap(items: unknown[], i: number, j: number): void {
  [items[i], items[j]] = [items[j]!, items[i]!];
}
