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
});

describe('isFolded', () => {
  test('is true of a text without white space at its ends, and with single spaces only', () => {
    expect(['', 'Acme', 'a b c', 'a\u200Bb', '\uFEFFa'].filter((text) => !isFolded(text))).toEqual([]);
    const others = [' a', 'a ', 'a  b', 'a\tb', 'a\u0085b', 'a\u00A0b', 'a\u3000b', 'a\u2028b'];
    expect(others.filter(isFolded)).toEqual([]);
  });
});
