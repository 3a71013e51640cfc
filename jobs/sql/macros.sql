-- One macro is one rule of docs/methodology.md or of the drop's contract, so that every query applies the same one.

-- White space is the Unicode property White_Space; RE2's \s would stop at ASCII.
create or replace macro trim_white(t) as
  regexp_replace(regexp_replace(t, '^[\p{Z}\x{09}-\x{0D}\x{85}]+', ''), '[\p{Z}\x{09}-\x{0D}\x{85}]+$', '');

-- nfc_normalize stops at U+0000, which composes with nothing: so each stretch between is normalised alone.
create or replace macro nfc(t) as
  case
    when contains(t, chr(0))
      then array_to_string(list_transform(string_split(t, chr(0)), lambda part: nfc_normalize(part)), chr(0))
    else nfc_normalize(t)
  end;

create or replace macro tidy(t) as
  trim_white(regexp_replace(nfc(t), '[\p{Z}\x{09}-\x{0D}\x{85}]+', ' ', 'g'));

create or replace macro lower_case(t) as nfc(lower(t));

create or replace macro is_blank(t) as regexp_full_match(t, '[\p{Z}\x{09}-\x{0D}\x{85}]*');

-- RFC 3986, IPv6address.
create or replace macro ipv6_pattern() as
  replace(
    replace(
      '(?:H:){6}L|::(?:H:){5}L|(?:H)?::(?:H:){4}L|(?:(?:H:){0,1}H)?::(?:H:){3}L|(?:(?:H:){0,2}H)?::(?:H:){2}L'
        || '|(?:(?:H:){0,3}H)?::H:L|(?:(?:H:){0,4}H)?::L|(?:(?:H:){0,5}H)?::H|(?:(?:H:){0,6}H)?::',
      'L', '(?:H:H|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))'
    ),
    'H', '[0-9A-Fa-f]{1,4}'
  );

-- The host of a text, '' where there is none.
create or replace macro host_as_written(t) as
  regexp_extract(
    trim_white(t),
    '^(?i:https?://|//)?(?:[^/?#@]*@)?([^\p{Z}\x{09}-\x{0D}\x{85}/?#:@\[\]%]+|\[(?:' || ipv6_pattern()
      || ')\])(?::[0-9]+)?(?:[/?#](?s:.*))?$',
    1
  );

-- The host of a text as published, NULL where it is unreadable.
create or replace macro host_of(t) as
  nullif(regexp_replace(regexp_replace(lower_case(host_as_written(t)), '\.$', ''), '^www\.', ''), '');

-- JSON as RFC 8259 has it: DuckDB's reader also takes trailing commas and NaN. The first pattern spares
-- almost every record the second, which looks outside of strings.
create or replace macro is_json_object(t) as
  json_valid(t)
  and starts_with(ltrim(t, ' ' || chr(9) || chr(13)), '{')
  and not (
    regexp_matches(t, '(?i)[:,\[]\s*-?(?:nan|inf)|,\s*[\]}]')
    and regexp_matches(regexp_replace(t, '"(?:[^"\\]|\\.)*"', '""', 'g'), '(?i)nan|inf|,\s*[\]}]')
  );

-- The text of a JSON string, NULL for every other JSON value. Most strings hold no escape and need no parser.
create or replace macro json_text(j) as
  case
    when not starts_with(j::varchar, '"') then null
    when contains(j::varchar, '\') then json_extract_string(j, '$')
    else (j::varchar)[2:-2]
  end;

create or replace macro json_uuid(j) as
  case
    when regexp_full_match(j::varchar, '"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"')
      then try_cast((j::varchar)[2:-2] as uuid)
  end;

create or replace macro json_date(j) as
  case
    when regexp_full_match(j::varchar, '"\d{4}-\d{2}-\d{2}"') and (j::varchar)[2:5] != '0000'
      then try_cast((j::varchar)[2:-2] as date)
  end;

-- A whole number of 1 or more, as large as every JSON reader keeps exact (2^53 - 1); NULL for 1.0 and "1".
create or replace macro json_position(j) as
  case
    when regexp_full_match(j::varchar, '[1-9]\d{0,15}') and j::varchar::bigint <= 9007199254740991
      then j::varchar::bigint
  end;

-- The years that RFC 3339 can spell, once an offset is taken off.
create or replace macro within_years(instant) as
  case when instant >= timestamp '0001-01-01 00:00:00' and instant < timestamp '10000-01-01 00:00:00' then instant end;

-- An RFC 3339 instant as a UTC timestamp, NULL where it is none. lib/instant.ts holds the same rules.
create or replace macro instant_of(t) as
  case
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
