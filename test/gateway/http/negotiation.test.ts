import { describe, expect, test } from 'vitest';
import { acceptsGzip, matchesEntityTag } from '../../../gateway/http/respond.ts';

describe('a response is compressed', () => {
  test.each([
    ['', false],
    ['gzip', true],
    ['x-gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['gzip;q=0', false],
    ['*', true],
    ['*;q=0, gzip', true],
    ['gzip;q=0, *', false],
    ['identity, gzip;q=0.5', false],
    ['identity;q=0, *', true],
    ['gzip;q=nonsense', false],
    ['gzipped', false],
  ])('for Accept-Encoding "%s": %s', (header, isCompressed) => {
    expect(acceptsGzip(header)).toBe(isCompressed);
  });
});

test('a header that is too long is ignored: no compression', () => {
  expect(acceptsGzip(`${'x,'.repeat(90)}gzip`)).toBe(true);
  expect(acceptsGzip(`${'x,'.repeat(100)}gzip`)).toBe(false);
});

test.each([
  ['"abc-gzip"', true],
  ['*', true],
  ['W/"x", W/"abc-gzip"', true],
  ['"abc"', false],
  ['abc-gzip', false],
  ['"*"', false],
  ['', false],
])('If-None-Match %s is the selected representation: %s', (header, isSelected) =>
  expect(matchesEntityTag(header, '"abc-gzip"')).toBe(isSelected),
);
