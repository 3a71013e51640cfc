-- One row in, one value out: what the demo files share.

-- A number that depends on nothing but its arguments: no thread count, no order of evaluation. The outer hash
-- matters: the hash of two values alone is an exclusive or, and its draws would be related.
create or replace macro demo_draw(salt, label) as hash(hash(salt, label));

-- The draw as an integer from 0 to sides - 1.
create or replace macro demo_die(salt, label, sides) as (demo_draw(salt, label) % sides)::integer;

create or replace macro demo_uuid(salt) as (
  regexp_replace(
    md5(salt::varchar), '^(.{8})(.{4}).(.{3}).(.{3})(.{12})$', '\1-\2-4\3-a\4-\5'
  )
);

create or replace macro demo_instant(instant) as strftime(instant::timestamp, '%Y-%m-%dT%H:%M:%S.%gZ');

-- 2,400 company names without repetition, then the same ones numbered. 1009 shares no factor with 2400, so that
-- neighbours differ in both halves.
create or replace macro demo_stem(number) as (
  [
    'Tavi', 'Quor', 'Zeph', 'Brix', 'Olm', 'Fenn', 'Marl', 'Nuvo', 'Kest', 'Pell',
    'Drov', 'Yarrow', 'Calder', 'Ostra', 'Lumo', 'Hexa', 'Varo', 'Sable', 'Torv', 'Wend',
    'Ibex', 'Juno', 'Rill', 'Skarn', 'Umbra', 'Vant', 'Wisp', 'Xylo', 'Halden', 'Birch',
    'Cobal', 'Dune', 'Ember', 'Fjord', 'Gale', 'Heron', 'Isla', 'Jasper', 'Kite', 'Lark',
    'Moss', 'Noctu', 'Opal', 'Prim', 'Quay', 'Raven', 'Sorrel', 'Thistle', 'Ursa', 'Merid'
  ][(number * 1009) % 2400 % 50 + 1]
);

create or replace macro demo_ending(number) as (
  [
    'desk', 'loop', 'forge', 'nest', 'path', 'works', 'grid', 'field', 'lane', 'mark', 'stack', 'wise',
    'bay', 'ora', 'ina', 'well', 'craft', 'port', 'line', 'wright', 'hollow', 'berry', 'shore', 'stone',
    'gate', 'crest', 'dale', 'point', 'cast', 'folio', 'pilot', 'ridge', 'signal', 'spring', 'tide', 'trail',
    'vale', 'vista', 'ward', 'yard', 'bloom', 'bridge', 'cove', 'deck', 'flow', 'haven', 'key', 'house'
  ][(number * 1009) % 2400 // 50 + 1]
);

create or replace macro demo_number(number) as if(number < 2400, '', ' ' || (number // 2400 + 1));

create or replace macro demo_name(number) as (
  demo_stem(number) || demo_ending(number) || demo_number(number)
);

-- How answers write the name of a company: as it does, in camel case, with what it sells (or, without a suffix, small),
-- in capitals.
create or replace macro demo_spellings(number, suffix) as [
  demo_name(number),
  demo_stem(number) || upper(demo_ending(number)[1]) || demo_ending(number)[2:] || demo_number(number),
  if(suffix is null, lower(demo_name(number)), demo_name(number) || ' ' || suffix),
  upper(demo_name(number))
];

create or replace macro demo_host(number) as (
  lower(demo_stem(number) || demo_ending(number)) || if(number < 2400, '', '-' || (number // 2400 + 1))
  || '.example'
);
