import { expect, test } from 'vitest';
import { z } from 'zod';
import { decodeCanonical, decodeKnown } from '../../lib/decode.ts';

const inner = z.strictObject({ c: z.int() });
const schema = z.strictObject({ format: z.literal([1, 2]).optional(), a: z.int(), b: inner.optional() });

/** What each way of reading makes of a text: the value, the unknown fields, or the error. */
function read(text: string): unknown[] {
  return [decodeKnown, decodeCanonical].map((decode) => {
    try {
      return decode(Buffer.from(text), schema, 'x.json');
    } catch (error) {
      return String(error);
    }
  });
}

const newer = (what: string) =>
  `Failure: x.json was written by a newer version of Sightline (${what}): upgrade this one`;

test.each<[string, unknown, unknown]>([
  ['{"a":1}\n', { value: { a: 1 }, unknown: [] }, { a: 1 }],
  ['{"b":{"c":2},"a":1}\n', { value: { b: { c: 2 }, a: 1 }, unknown: [] }, { b: { c: 2 }, a: 1 }],
  [
    '{"a":1,"d":2,"b":{"c":2,"e":{}}}\n',
    { value: { a: 1, b: { c: 2 } }, unknown: ['b.e', 'd'] },
    newer('b.e, d'),
  ],
  ['{"a":1,"d":2}\n', { value: { a: 1 }, unknown: ['d'] }, newer('d')],
  ['{"format":3,"a":1}\n', newer('format 3'), newer('format 3')],
  ['{"format":3,"a":"new"}\n', newer('format 3'), newer('format 3')],
])('%s is read, except what only a newer version knows', (text, known, canonical) => {
  expect(read(text)).toEqual([known, canonical]);
});

test.each([
  ['{"a":1}', 'is not in canonical form'],
  ['{"a":1.0}\n', 'is not in canonical form'],
  ['{"a":1,"a":1}\n', 'is not in canonical form'],
  [' {"a":1}\n', 'is not in canonical form'],
  ['{"a":\n', 'cannot be read: '],
  ['{"format":0,"a":1}\n', 'cannot be read: format: '],
  ['{"format":"3","a":1}\n', 'cannot be read: format: '],
  ['{"a":"1"}\n', 'cannot be read: a: '],
])('%s is refused', (text, reason) => {
  for (const said of read(text)) expect(said).toMatch(new RegExp(`^Failure: x.json ${reason}`));
});
