import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { credentialOf } from '../../../gateway/admission/credential.ts';
import { isKey, newKey, storedForm } from '../../../gateway/records/keys.ts';

describe('the key of a request', () => {
  test('names at most three others if it is ambiguous, whose last use is recorded', () => {
    const many = Array.from({ length: 9 }, newKey);
    expect(credentialOf({ 'x-api-key': [many.join(' ')] })).toEqual({
      key: null,
      refused: 'invalid_key',
      named: many.slice(0, 4),
    });
  });

  test('has one valid format; anything else is not looked up', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        fc.pre(!isKey(value.trim()));
        expect(credentialOf({ 'x-api-key': [value] }).key).toBeNull();
        expect(credentialOf({ authorization: [value] }).key).toBeNull();
      }),
    );
  });
});

test('a new key has the format of the specification and is unique', () => {
  const keys = Array.from({ length: 1000 }, newKey);
  for (const made of keys) expect(made).toMatch(/^vis_[0-9a-f]{48}$/);
  expect(new Set(keys).size).toBe(1000);
});

test('a key is stored as its SHA-256 and its first 12 characters', () => {
  const stored = storedForm('vis_0123456789abcdef0123456789abcdef0123456789abcdef');
  expect(stored).toEqual({
    hash: '6c924610ba9046dbab2b022298080828827eb08a26412f881c27cd5c2c83f23d',
    prefix: 'vis_01234567',
  });
});
