import { describe, expect, test } from 'vitest';
import { matchesEntityTag, negotiateEncoding } from '../../../gateway/http/negotiation.ts';

describe('the coding of a response', () => {
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
    ['gzip;q=nonsense', 'identity'],
    ['gzip; q=0.4 , br ;q=0.3', 'gzip'],
    [',,;;,', 'identity'],
    ['gzipped, brotli', 'identity'],
  ])('for Accept-Encoding "%s" is %s', (header, coding) => {
    expect(negotiateEncoding(header)).toBe(coding);
    expect(negotiateEncoding(header)).toBe(coding);
  });
});

test('a header that is too long is ignored: no compression', () => {
  expect(negotiateEncoding(`${'x,'.repeat(90)}br`)).toBe('br');
  expect(negotiateEncoding(`${'x,'.repeat(100)}br`)).toBe('identity');
});

describe('If-None-Match', () => {
  test.each([
    '"abc-br"',
    'W/"abc-br"',
    '*',
    ' * ',
    '"x", "abc-br"',
    '"x","abc-br" , "y"',
    'W/"x", W/"abc-br"',
  ])('%s is the selected representation', (header) =>
    expect(matchesEntityTag(header, '"abc-br"')).toBe(true),
  );
  test.each([
    '"abc"',
    '"abc-gzip"',
    '"x"',
    'abc-br',
    'W/abc-br',
    '"abc-br',
    '"x*"',
    '"*"',
    '"x, abc-br"',
    '',
  ])('%s is not', (header) => expect(matchesEntityTag(header, '"abc-br"')).toBe(false));
});
