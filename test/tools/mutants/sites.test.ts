import { expect, test } from 'vitest';
import { mutantsOf, mutate } from './sites.ts';

const changesOf = (file: string, text: string) => mutantsOf(file, text).map((mutant) => mutate(text, mutant));

test.each<[string, string[]]>([
  ['let x = a <= b;', ['let x = a < b;']],
  ['let x = a && !b;', ['let x = a || !b;', 'let x = a && b;']],
  ['let x = a ?? b;', ['let x = a ;']],
  ['let x = `${a}` + b - c;', ['let x = `${a}` + b + c;']],
  ['if (a) f();', ['if (!(a)) f();', ';', 'if (a) ;']],
  ['let x: 1 | 2 = n ? 2 : 1000;', ['let x: 1 | 2 = !(n) ? 2 : 1000;', 'let x: 1 | 2 = n ? 3 : 1000;']],
])('%s in TypeScript', (text, expected) => {
  expect(changesOf('a.ts', text).toSorted()).toEqual(expected.toSorted());
});

test.each<[string, string[]]>([
  [
    "select min(a) where a < 'x < y' -- a < b",
    ["select max(a) where a < 'x < y' -- a < b", "select min(a) where a <= 'x < y' -- a < b"],
  ],
  [
    'where a is not null or not b',
    ['where a is null or not b', 'where a is not null and not b', 'where a is not null or  b'],
  ],
  ['create or replace table t as from u where a between 1 and 2', []],
])('%s in SQL', (text, expected) => {
  expect(changesOf('a.sql', text).toSorted()).toEqual(expected.toSorted());
});
