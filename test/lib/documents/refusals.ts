import { expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import type { DocumentName } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';

/** What is broken, how, and the start of a complaint that must come of it. */
export type Refusal<Name extends DocumentName> = [
  what: string,
  spoil: (document: Documents[Name]) => void,
  complaint: string,
];

/** Each spoiled copy of a sound document must be refused for the reason that it was spoiled for. */
export function testRefusals<Name extends DocumentName>(
  name: Name,
  sound: Documents[Name],
  refusals: readonly Refusal<Name>[],
): void {
  test('the document to be spoiled is sound', () => {
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
