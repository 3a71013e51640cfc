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

-- The strptime format of a form such as DD/MM/YYYY or M/D/YY HH:mm. The first pass writes what no second pass takes for a
-- letter of the form. NULL for a form without day, month or year. (With an error in it, it would be no constant.)
create or replace macro strptime_format(form) as
  case
    when form = '' then '%Y'
    when regexp_matches(form, 'D') and regexp_matches(form, 'M') and regexp_matches(form, 'Y{2}')
      then translate(
        regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
          form, 'Y{4}', '%1', 'g'), 'Y{2}', '%2', 'g'), 'M+', '%3', 'g'), 'D+', '%4', 'g'), 'H+', '%5', 'g'), 'm+', '%6', 'g'),
          's+', '%7', 'g'),
        '1234567', 'YymdHMS'
      )
  end;

-- An instant (RFC 3339) or a date (midnight, UTC) as a timestamp, or a date of another form; NULL where the text is none.
create or replace macro iso_time(t) as list_transform(
  [trim_white(t)], lambda text: coalesce(instant_of(text), to_date(text)::timestamp)
)[1];
create or replace macro time_of
  (t) as iso_time(t),
  (t, form) as coalesce(
    iso_time(t),
    case
      when form = '' then null
      when strptime_format(form) is null
        then error('dates of the form ' || form || ': a form has DD, MM and YYYY (or YY), such as DD/MM/YYYY')
      -- YYYY reads 3/11/26 as the year 26.
      else list_filter([try_strptime(trim_white(t), strptime_format(form))], lambda time: year(time) > 1900)[1]
    end
  );

-- Why an instant cannot be that of an answer; NULL where it can. (A year's wrong digit would be the date to ingest with.)
create or replace macro too_late(t) as case when t::date > getvariable('tomorrow') then 'its date is after tomorrow' end;

-- Settings of a type: NULL or the fallback if not given, an error if given and unreadable.
create or replace macro uuid_setting(key) as
  case
    when setting(key, '') != '' then coalesce(
      to_uuid(setting(key, '')), error('--set ' || key || '=' || setting(key, '') || ' is not a UUID')
    )
  end;
create or replace macro date_setting(key, fallback) as coalesce(
  time_of(setting(key, fallback)),
  error('--set ' || key || '=' || setting(key, fallback) || ' is neither a date (2026-11-16) nor an instant')
);

-- The workspace of an import from a source without workspaces.
create or replace macro workspace_of(source) as
  coalesce(uuid_setting('workspace_id'), id_of(source || ' workspace', setting('workspace', 'Imported')));

create or replace macro monday_of(t) as date_trunc('week', t)::date;

-- The engine that a name stands for, 'skip' if --engine says so, NULL where it stands for none of ours: "GPT-4o" is not
-- ChatGPT, Copilot is nobody. `others` maps names of one vendor, in lower case.
create or replace macro engine_or_skip(name, others) as coalesce(
  getvariable('engines')[lower(trim_white(name))],
  others[lower(trim_white(name))],
  map {
    'chatgpt': 'chatgpt',
    'chat gpt': 'chatgpt',
    'claude': 'claude',
    'deepseek': 'deepseek',
    'gemini': 'gemini',
    'google gemini': 'gemini',
    'grok': 'grok',
    'perplexity': 'perplexity',
    'perplexity ai': 'perplexity',
    'ai overview': 'ai_overview',
    'ai overviews': 'ai_overview',
    'google ai overview': 'ai_overview',
    'google ai overviews': 'ai_overview',
    'ai mode': 'ai_mode',
    'google ai mode': 'ai_mode'
  }[regexp_replace(lower(trim_white(name)), '[ ._-]+', ' ', 'g')]
);
create or replace macro engine_of
  (name) as nullif(engine_or_skip(name, map {}), 'skip'),
  (name, others) as nullif(engine_or_skip(name, others), 'skip');

-- Why a row without an engine is skipped; NULL where it has one. report/ knows both beginnings.
create or replace macro no_engine(engine, name) as
  case
    when engine is null then 'engine is unknown: ' || coalesce(trim_white(name), '(none)')
    when engine = 'skip' then 'skipped on purpose: ' || trim_white(name)
  end;
create or replace macro unknown_engine
  (name) as no_engine(engine_or_skip(name, map {}), name),
  (name, others) as no_engine(engine_or_skip(name, others), name);

-- Citations of a source that does not classify them. The importer leaves out those without a readable host, and counts them.
create or replace macro citations_of(urls) as
  list_transform(list_filter(urls, lambda url: url is not null), lambda url: {'url': url, 'source_type': 'other'});
create or replace macro has_host(url) as coalesce(plain_host(url), host_of(url)) is not null;

-- A cell of a spreadsheet that lists several values, without the empty ones. Without a separator, that is a semicolon, or a
-- comma where the cell has no semicolon; and a line break.
create or replace macro items_of
  (cell, separator) as list_filter(
    list_transform(string_split(coalesce(cell, ''), separator), lambda item: trim_white(item)), lambda item: item != ''
  ),
  (cell) as list_filter(
    list_transform(
      case
        when contains(cell, ';') then string_split(translate(cell, chr(10) || chr(13), ';;'), ';')
        else string_split(translate(coalesce(cell, ''), chr(10) || chr(13), ',,'), ',')
      end,
      lambda item: trim_white(item)
    ),
    lambda item: item != ''
  );

-- The entries of a cell that lists URLs, separated by blanks, commas, semicolons, bars or "and". A URL may contain commas and
-- semicolons: there only one before white space, or before another URL, separates.
create or replace macro urls_of(cell) as list_filter(
  flatten(list_transform(
    string_split(
      regexp_replace(
        regexp_replace(coalesce(cell, ''), '[,;|]+(https?://|www\.)', ' \1', 'gi'),
        '[,;|]*(?:[\p{Z}\x{09}-\x{0D}\x{85}]+|$)', ' ', 'g'
      ),
      ' '
    ),
    lambda part: case when contains(part, '://') then [part] else string_split_regex(part, '[,;|]+') end
  )),
  lambda part: lower(part) not in ('', 'and', '&')
);

-- True for a URL of the web, with or without its scheme.
create or replace macro is_url(t) as
  case
    when contains(t, '://') then regexp_matches(t, '^(?i:https?)://') and has_host(t)
    else regexp_matches(t, '^[^\p{Z}/?#@:]+\.[\p{L}][\p{L}\p{N}-]+\.?(?::[0-9]+)?(?:[/?#]|$)')
  end;

-- A number as people write it, with a decimal point or a decimal comma; NULL for others, and for 1,234, which may be both.
create or replace macro number_of(t) as
  case
    when regexp_full_match(trim_white(t), '[+-]?(?:\d+|\d*,(?:\d{1,2}|\d{4,}))') then try_cast(replace(trim_white(t), ',', '.') as double)
    when not contains(t, ',') then try_cast(trim_white(t) as double)
  end;

-- What names and texts have in common that differ in case, white space or Unicode form only.
create or replace macro key_of(t) as lower(upper(tidy(t)));

-- True for two keys that differ by a letter or two, but not in their digits: Team 1 and Team 2 are both meant.
create or replace macro is_misspelling(one, other) as
  damerau_levenshtein(one, other) <= least(2, length(one) // 3)
  and regexp_replace(one, '\D', '', 'g') = regexp_replace(other, '\D', '', 'g');

-- A text in which names are looked for: case is folded (Σ, σ and ς are one letter), white space is a blank.
create or replace macro folded(t) as
  ' ' || translate(lower(upper(nfc(t))), chr(9) || chr(10) || chr(13) || chr(160) || chr(8239), '     ') || ' ';

-- True where a name ends or begins a word between two pieces of a text. The pattern is constant: with a name in it RE2 would
-- compile it for every row, and its Unicode classes take a millisecond.
create or replace macro is_word_between(before, after) as
  before != '' and after <> '' and not regexp_matches(before[-1] || ' ' || after[1], '[\p{L}\p{M}\p{N}]');

-- Where a folded name first occurs as a whole word in a folded text; NULL where it does not.
create or replace macro word_at(t, name) as
  case
    when not contains(t, name) then null
    when is_word_between(t[instr(t, name) - 1], t[instr(t, name) + length(name)]) then instr(t, name)
    else list_transform([string_split(t, name)], lambda pieces: list_min(list_transform(
      pieces,
      lambda piece, number: case
        when is_word_between(piece, pieces[number + 1])
          then length(list_reduce(pieces[:number], lambda before, next: before || name || next)) + 1
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
