-- One macro is one helper for mappings (docs/importing.md), or for what the importer does with their rows.
-- The variables `settings` and `engines` hold what the caller gave with --set and --engine.

create or replace macro setting
  (key) as coalesce(getvariable('settings')[key], error('the mapping needs --set ' || key || '=…')),
  (key, fallback) as coalesce(getvariable('settings')[key], fallback);

-- A macro's argument is written out at each of its uses, and arguments are macros again: three levels of ids, each using
-- its argument nine times, took seconds to plan. So an argument of several uses goes through a lambda of one element.

-- RFC 9562, 5.5: the first 128 bits of a SHA-1, with the bits of version 5 and of the variant.
create or replace macro uuid5(namespace, name) as list_transform(
  [sha1(unhex(replace(namespace::uuid::varchar, '-', '')) || encode(name))],
  lambda sha1: (
    sha1[1:8] || '-' || sha1[9:12] || '-5' || sha1[14:16] || '-'
    || ['8', '9', 'a', 'b'][(('0x' || sha1[17])::integer & 3) + 1] || sha1[18:20] || '-' || sha1[21:32]
  )::uuid
)[1];

-- The only UUID inside a vendor's id, such as `ch_61184892-36ad-4e1a-8178-3a83608f7711`; otherwise a UUIDv5 of source and
-- id, in a namespace of this project. NULL where there is no id.
create or replace macro id_of(source, id) as list_transform(
  [id::varchar],
  lambda text: coalesce(
    case
      when text[-37:] similar to '(.*[^-0-9A-Fa-f])?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'
        then text[-36:]::uuid
    end,
    uuid5('5c1f0c1e-6c39-5d0b-9a59-0c2f5b1d7a11', source || chr(10) || text)
  )
)[1];

-- An instant (RFC 3339) or a date (midnight, UTC) as a timestamp; NULL where the text is neither.
create or replace macro time_of(t) as list_transform(
  [trim_white(t)], lambda text: coalesce(instant_of(text), to_date(text)::timestamp)
)[1];

create or replace macro monday_of(t) as date_trunc('week', t)::date;

-- The engine that a name stands for, NULL where it stands for none of ours: "GPT-4o" is not ChatGPT, Copilot is nobody.
create or replace macro engine_of(name) as coalesce(
  getvariable('engines')[lower(trim_white(name))],
  map {
    'chatgpt': 'chatgpt',
    'claude': 'claude',
    'deepseek': 'deepseek',
    'gemini': 'gemini',
    'google gemini': 'gemini',
    'grok': 'grok',
    'perplexity': 'perplexity',
    'ai overview': 'ai_overview',
    'ai overviews': 'ai_overview',
    'google ai overview': 'ai_overview',
    'google ai overviews': 'ai_overview',
    'ai mode': 'ai_mode',
    'google ai mode': 'ai_mode'
  }[regexp_replace(lower(trim_white(name)), '[ _-]+', ' ', 'g')]
);

-- Why a row without an engine is skipped; NULL where it has one.
create or replace macro unknown_engine(name) as
  case when engine_of(name) is null then 'engine is unknown: ' || coalesce(trim_white(name), '(none)') end;

-- Citations of a source that does not classify them. What has no readable host is left out, or ingest would refuse the run.
create or replace macro citations_of(urls) as list_transform(
  list_filter(urls, lambda url: coalesce(plain_host(url), host_of(url)) is not null),
  lambda url: {'url': url, 'source_type': 'other'}
);

-- A cell of a spreadsheet that lists several values, without the empty ones.
create or replace macro items_of(cell, separator) as list_filter(
  list_transform(string_split(coalesce(cell, ''), separator), lambda item: trim_white(item)),
  lambda item: item <> ''
);

-- A text in which names are looked for: case is folded (Σ, σ and ς are one letter), white space is a blank.
create or replace macro folded(t) as
  ' ' || translate(lower(upper(nfc(t))), chr(9) || chr(10) || chr(13) || chr(160) || chr(8239), '     ') || ' ';

-- True where a name ends or begins a word between two pieces of a text. The pattern is constant: with a name in it RE2 would
-- compile it for every row, and its Unicode classes take a millisecond.
create or replace macro is_word_between(before, after) as
  before <> '' and after <> '' and not regexp_matches(before[-1] || ' ' || after[1], '[\p{L}\p{M}\p{N}]');

-- Where a folded name first occurs as a whole word in a folded text; NULL where it does not.
create or replace macro word_at(t, name) as
  case
    when not contains(t, name) then null
    when is_word_between(t[instr(t, name) - 1], t[instr(t, name) + length(name)]) then instr(t, name)
    else list_transform([string_split(t, name)], lambda pieces: list_min(list_transform(
      pieces,
      lambda piece, number: case
        when number < len(pieces) and is_word_between(piece, pieces[number + 1])
          then (list_sum(list_transform(pieces[:number], lambda p: length(p))) + (number - 1) * length(name))::bigint + 1
      end
    )))[1]
  end;

-- A folded text in which control characters stand for some names, where these are whole words. It is as long as before.
create or replace macro without_word(t, name) as
  case
    when not contains(t, name) then t
    else list_transform([string_split(t, name)], lambda pieces: array_to_string(list_transform(
      pieces,
      lambda piece, number: piece || case
        when number = len(pieces) then ''
        when is_word_between(piece, pieces[number + 1]) then repeat(chr(1), length(name))
        else name
      end
    ), ''))[1]
  end;
create or replace macro without_words(t, names) as
  list_reduce(names, lambda rest, name: without_word(rest, name), t);
