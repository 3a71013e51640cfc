-- One macro is one rule of what a drop may contain (docs/ingest.md), or of how its JSON is read.

create or replace macro is_blank(t) as regexp_full_match(t, '[\p{Z}\x{09}-\x{0D}\x{85}]*');

-- A text that may be a JSON object, NULL for every other. DuckDB's reader decides whether it is JSON. It also takes
-- trailing commas and NaN, which RFC 8259 does not allow: if a block of lines may contain one, each line is searched,
-- without its strings.
create or replace macro strict_object(t, may_be_loose) as
  case
    when not starts_with(t, '{') and not starts_with(ltrim(t, ' ' || chr(9) || chr(13)), '{') then null
    when may_be_loose and regexp_matches(regexp_replace(t, '"(?:[^"\\]|\\.)*"', '""', 'g'), '(?i)nan|inf|,\s*[\]}]')
      then null
    else t
  end;

-- The fields of a JSON object, by their types; NULL for every other text.
create or replace macro object_of(t, types, may_be_loose) as try(json_transform(strict_object(t, may_be_loose), types));

-- The text of a JSON string, NULL for every other JSON value. Most strings have no escape and need no parser.
create or replace macro json_text(j) as
  case
    when not starts_with(j::varchar, '"') then null
    when contains(j::varchar, '\') then json_extract_string(j, '$')
    else (j::varchar)[2:-2]
  end;

create or replace macro to_uuid(t) as
  case
    when regexp_full_match(t, '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}')
      then try_cast(t as uuid)
  end;

-- The first 48 bits of an id's MD5, the same in every version of DuckDB: sorted they take 4 bytes, an id takes 17. Of
-- 400,000 ids and the 40 million of two years, on average 0.06 pairs share one.
create or replace macro run_hash(id) as ('0x' || md5(id::varchar)[1:12])::bigint;

create or replace macro to_date(t) as
  case when regexp_full_match(t, '\d{4}-\d{2}-\d{2}') and not starts_with(t, '0000') then try_cast(t as date) end;

create or replace macro is_long_list(length) as coalesce(length > 1000, false);

-- A link that a document may publish. Without white space and control characters it needs no more than JSON's escapes of
-- quotes and backslashes.
create or replace macro is_link(t) as
  coalesce(regexp_full_match(t, '(?i:https?)://[^\p{Z}\p{Cc}]+') and len(t) <= 2000, false);

create or replace macro is_absent(j) as j is null or j::varchar = 'null';

-- A whole number from 1 to 2^53 - 1, which every JSON reader keeps exact; NULL for 1.0 and "1".
create or replace macro json_position(j) as
  case
    when regexp_full_match(j::varchar, '[1-9]\d{0,15}') and j::varchar::bigint <= 9007199254740991
      then j::varchar::bigint
  end;

-- An instant of the years that RFC 3339 can write, NULL for others: an offset may lead out of them.
create or replace macro within_years(instant) as
  case when instant >= timestamp '0001-01-01 00:00:00' and instant < timestamp '10000-01-01 00:00:00' then instant end;

-- An RFC 3339 instant as a UTC timestamp, NULL for every other text. lib/methodology/instant.ts has the same rules.
-- Most have a Z and up to 6 decimals; a cast reads these four times as fast.
create or replace macro instant_of(t) as
  case
    when regexp_full_match(t, '\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z')
      then within_years(try_cast(t as timestamp))
    when regexp_full_match(
      t,
      '\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)'
    )
      then within_years(
        try_cast(t[1:10] || ' ' || t[12:19] as timestamp)
        + to_microseconds(case when t[20] = '.' then rpad(regexp_extract(t, '\.(\d+)', 1)[1:6], 6, '0')::bigint else 0 end)
        - to_minutes(
          case
            when lower(t[-1]) = 'z' then 0
            else (t[-5:-4]::bigint * 60 + t[-2:]::bigint) * case when t[-6] = '-' then -1 else 1 end
          end
        )
      )
  end;
