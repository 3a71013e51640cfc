import * as fc from 'fast-check';
import { names, urls } from './names.ts';
import { brands, competitors, events, idOf, prompts, runs, workspaces } from './records.ts';

type Fields = Record<string, unknown>;

const values = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, '', ' \u0085', [], {}, [null], [{}], ['x']),
  fc.constantFrom<unknown>(
    '1',
    'brand',
    'failed',
    '2026-02-29',
    '2026-02-28',
    '2026-11-09T06:00:60Z',
    '2026-11-09T24:00:00Z',
  ),
  fc.constantFrom<unknown>(
    '2026-11-09T06:00Z',
    '2026-11-09T06:00:00',
    '2026-11-09 06:00:00Z',
    idOf('run', 1),
    'ftp://x.example/',
    'https://a b.example/',
    'x'.repeat(101),
  ),
  names,
  urls,
);

/** A field, at any depth, missing, misspelt or of another kind. */
const damage = fc.record({ at: fc.nat({ max: 99 }), value: values, gone: fc.boolean() });

function damaged(record: Fields, { at, value, gone }: { at: number; value: unknown; gone: boolean }): Fields {
  const copy = structuredClone(record);
  const lists = Object.values(copy).filter((each) => Array.isArray(each));
  const holders = [copy, ...lists.flatMap((list) => [list, ...list.filter(isObject)] as Fields[])];
  const places = holders.flatMap((holder) => Object.keys(holder).map((key) => ({ holder, key })));
  const { holder, key } = places[at % places.length]!;
  if (gone) delete holder[key];
  else holder[key] = value;
  return copy;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function shuffled(record: Fields): Fields {
  return { unknown: { a: [1.0, 'x,]'] }, ...Object.fromEntries(Object.entries(record).toReversed()) };
}

/** Lines that are no record whatever their kind, and some that are none at all. */
const noise = fc
  .constantFrom('', ' \t', '\r', '{', '[]', 'null', '{"id":NaN}', '{}', '{"a":1,}', '\ufeff{}', '"x"')
  .map((t) => Buffer.from(t));
const noText = fc.constant(Buffer.from('7b226964223a22ff227d', 'hex'));

const spellings = [
  (record: Fields) => JSON.stringify(record),
  (record: Fields) => ` ${JSON.stringify(record, null, 1).replaceAll('\n', ' ')}\r`,
  (record: Fields) =>
    JSON.stringify(shuffled(record)).replaceAll(
      /[^ -~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  (record: Fields) => `${JSON.stringify(record).slice(0, -1)},}`,
];
const spelling = fc
  .oneof({ weight: 8, arbitrary: fc.constantFrom(0, 0, 1, 2) }, { weight: 1, arbitrary: fc.constant(3) })
  .map((n) => spellings[n]!);

const single = (line: fc.Arbitrary<Buffer>) => line.map((l) => [l]);

function linesOf(record: fc.Arbitrary<Fields>, maxLength: number): fc.Arbitrary<Buffer[]> {
  const good = fc.tuple(record, spelling).map(([r, spell]) => [Buffer.from(spell(r))]);
  const twice = fc
    .tuple(record, spelling, spelling)
    .map(([r, a, b]) => [Buffer.from(a(r)), Buffer.from(b(r))]);
  const bad = fc.tuple(record, damage).map(([r, d]) => [Buffer.from(JSON.stringify(damaged(r, d)))]);
  const other = fc
    .tuple(record, damage)
    .map(([r, d]) => [r, damaged(r, d)].map((v) => Buffer.from(JSON.stringify(v))));
  const entry = fc.oneof(
    { weight: 20, arbitrary: good },
    { weight: 2, arbitrary: twice },
    { weight: 1, arbitrary: bad },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: single(noise) },
    { weight: 1, arbitrary: single(noText) },
  );
  return fc.array(entry, { maxLength, size: 'max' }).map((entries) => entries.flat());
}

export const linesOfKind = {
  workspaces: linesOf(workspaces, 6),
  brands: linesOf(brands, 16),
  competitors: linesOf(competitors, 30),
  prompts: linesOf(prompts, 40),
  events: linesOf(events, 10),
  runs: linesOf(runs, 300),
};
