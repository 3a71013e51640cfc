import { describe, expect, test } from 'vitest';
import { matchesEntityTag, negotiateEncoding } from '../../gateway/negotiation.ts';

describe('the coding of an answer', () => {
  test.each([
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['gzip;q=0.1', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['*;q=0, gzip', 'gzip'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['identity', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=1', 'gzip'],
    ['identity;q=0', 'identity'],
    ['identity;q=0, *', 'br'],
    ['deflate', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=nonsense', 'identity'],
    ['gzip; q=0.4 , br ;q=0.3', 'gzip'],
    [',,;;,', 'identity'],
    ['gzipped, brotli', 'identity'],
  ])('for Accept-Encoding "%s" is %s', (header, coding) => {
    expect(negotiateEncoding(header)).toBe(coding);
    expect(negotiateEncoding(header)).toBe(coding);
  });
});

describe('If-None-Match', () => {
  const tags = ['"abc-br"', '"abc-gzip"', '"abc"'];
  test.each([
    '"abc"',
    '"abc-gzip"',
    'W/"abc"',
    '*',
    ' * ',
    '"x", "abc"',
    '"x","abc-br" , "y"',
    'W/"x", W/"abc-gzip"',
  ])('%s is the document', (header) => expect(matchesEntityTag(header, tags)).toBe(true));
  test.each(['"x"', 'abc', 'W/abc', '"ab"', '"abc', '"x*"', '"*"', '"x, abc"', ''])('%s is not', (header) =>
    expect(matchesEntityTag(header, tags)).toBe(false),
  );
});
