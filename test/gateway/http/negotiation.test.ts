import { describe, expect, test } from 'vitest';
import { acceptsGzip, matchesEntityTag } from '../../../gateway/http/respond.ts';

describe('a response is compressed', () => {
  test.each([
    ['', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['gzip;q=0.1', true],
    ['gzip;q=0', false],
    ['*', true],
    ['*;q=0', false],
    ['*;q=0, gzip', true],
    ['gzip;q=0, *', false],
    ['identity', false],
    ['identity, gzip;q=0.5', false],
    ['identity;q=0', false],
    ['identity;q=0, *', true],
    ['gzip;q=nonsense', false],
    ['br ;q=0.3 , gzip; q=0.4', true],
    [',,;;,', false],
    ['gzipped', false],
  ])('for Accept-Encoding "%s": %s', (header, isCompressed) => {
    expect(acceptsGzip(header)).toBe(isCompressed);
  });
});

test('a header that is too long is ignored: no compression', () => {
  expect(acceptsGzip(`${'x,'.repeat(90)}gzip`)).toBe(true);
  expect(acceptsGzip(`${'x,'.repeat(100)}gzip`)).toBe(false);
});

describe('If-None-Match', () => {
  test.each(['"abc-gzip"', 'W/"abc-gzip"', '*', '"x", "abc-gzip"', 'W/"x", W/"abc-gzip"'])(
    '%s is the selected representation',
    (header) => expect(matchesEntityTag(header, '"abc-gzip"')).toBe(true),
  );
  test.each(['"abc"', 'abc-gzip', '"abc-gzip', '"*"', '"x, abc-gzip"', ''])('%s is not', (header) =>
    expect(matchesEntityTag(header, '"abc-gzip"')).toBe(false),
  );
});
