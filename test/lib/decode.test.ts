import { expect, test } from 'vitest';
import { z } from 'zod';
import { decodeCanonical } from '../../lib/decode.ts';

const schema = z.strictObject({ a: z.int(), b: z.string() });
const read = (text: string, end?: string) => decodeCanonical(Buffer.from(text), schema, 'x.json', end);

test('only the canonical text of a value is accepted, with its fields in any order', () => {
  expect(read('{"a":1,"b":"x"}\n')).toEqual({ a: 1, b: 'x' });
  expect(read('{"a":1,"b":"x"}', '')).toEqual({ a: 1, b: 'x' });
  expect(read('{"b":"x","a":1}\n')).toEqual({ a: 1, b: 'x' });
  for (const other of [
    '{"a":1,"b":"x"}',
    '{"a":1.0,"b":"x"}\n',
    '{"a":1,"a":1,"b":"x"}\n',
    ' {"a":1,"b":"x"}\n',
  ])
    expect(() => read(other)).toThrow('x.json is not in canonical form');
});
