import { describe, expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import { goldenCases, readExpected } from '../../golden/expected.ts';

describe.each(goldenCases)('the golden case %s', (name) => {
  const { brandLists, weeks, brands } = readExpected(name);

  test('its brand lists are valid', () => {
    expect(brandLists.size).toBeGreaterThan(0);
    for (const list of brandLists.values()) expect(complaintsAbout('brands', list)).toEqual([]);
  });

  test('its weeks are valid, and encoded with the keys in their order', () => {
    expect(weeks.size).toBe(brandLists.size);
    for (const week of weeks.values()) {
      expect(complaintsAbout('week', week)).toEqual([]);
      expect(encodeDocument('week', backwards(week)).toString()).toBe(`${JSON.stringify({ data: week })}\n`);
    }
  });

  test.each(documentKinds)('its %s documents are valid', (kind) => {
    expect(brands.length).toBeGreaterThan(0);
    for (const { documents } of brands) expect(complaintsAbout(kind, documents[kind])).toEqual([]);
  });

  test.each(documentKinds)('its %s documents are encoded with the keys in the order of the spec', (kind) => {
    for (const { documents } of brands) {
      const text = encodeDocument(kind, backwards(documents[kind])).toString();
      expect(text).toBe(`${JSON.stringify({ data: documents[kind] })}\n`);
    }
  });
});

/** The same data with the keys of every object reversed, except those of a trend. */
function backwards<T>(value: T): T {
  if (Array.isArray(value)) return value.map(backwards) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    key === 'trend' ? inner : backwards(inner),
  ]);
  return Object.fromEntries(entries.toReversed()) as T;
}
