import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareText, isFolded } from '../../../lib/methodology/text.ts';

describe('compareText', () => {
  test('orders by code point, as the bytes of UTF-8 do', () => {
    const unit = fc.constantFrom(
      'a',
      'b',
      'é',
      '\uD7FF',
      '\uE000',
      'ﬁ',
      '\uFFFF',
      '\u{10000}',
      '🚀',
      '\u{10FFFF}',
    );
    const text = fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareText(a, b))).toBe(bytes);
      }),
    );
  });

  test('differs from the order of UTF-16 units', () => {
    expect(['🚀', 'ﬁ'].toSorted(compareText)).toEqual(['ﬁ', '🚀']);
  });
});

describe('isFolded', () => {
  test.each(['', 'Acme', 'a b c', 'Café Noir', 'a\u200Bb', '\uFEFFa'])('%j is', (text) => {
    expect(isFolded(text)).toBe(true);
  });

  test.each([' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a\u0085b', 'a\u00A0b', 'a\u3000b', 'a\u2028b', ' '])(
    '%j is not',
    (text) => {
      expect(isFolded(text)).toBe(false);
    },
  );
});
