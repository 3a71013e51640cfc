import { expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { DocumentName } from '../../../lib/documents/kinds.ts';
import { goldenCases, readExpected } from '../../golden/expected.ts';

test.each(goldenCases)(
  'every document of the golden case %s is valid, and encoded with the keys in the order of the specification',
  (name) => {
    const { brandLists, weeks, brands } = readExpected(name);
    const all: [DocumentName, unknown][] = [
      ...[...brandLists.values()].map((list): [DocumentName, unknown] => ['brands', list]),
      ...[...weeks.values()].map((week): [DocumentName, unknown] => ['week', week]),
      ...brands.flatMap(({ documents }) =>
        documentKinds.map((kind): [DocumentName, unknown] => [kind, documents[kind]]),
      ),
    ];
    expect(all.length).toBeGreaterThan(documentKinds.length);
    for (const [kind, data] of all) {
      expect(complaintsAbout(kind, data)).toEqual([]);
      expect(encodeDocument(kind, backwards(data) as never).toString()).toBe(`${JSON.stringify({ data })}\n`);
    }
  },
);

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
