-- One macro is one rule of docs/methodology.md for names and hosts, in ingest and in the weekly job.

-- White space is the Unicode property White_Space; RE2's \s would stop at ASCII.
create or replace macro trim_white(t) as
  regexp_replace(t, '^[\p{Z}\x{09}-\x{0D}\x{85}]+|[\p{Z}\x{09}-\x{0D}\x{85}]+$', '', 'g');

-- nfc_normalize stops at U+0000, which composes with nothing: so each part between is normalised alone.
create or replace macro nfc(t) as
  array_to_string(list_transform(string_split(t, chr(0)), lambda part: nfc_normalize(part)), chr(0));

create or replace macro tidy(t) as
  trim_white(regexp_replace(nfc(t), '[\p{Z}\x{09}-\x{0D}\x{85}]+', ' ', 'g'));

create or replace macro lower_case(t) as nfc(lower(t));

-- RFC 3986, IPv6address, in its brackets. It is one literal, because a concatenated pattern would be compiled again for
-- every row: 20 times as slow.
create or replace macro is_ipv6(t) as
  regexp_full_match(
    t,
    '\[(?:(?:[0-9A-Fa-f]{1,4}:){6}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|::(?:[0-9A-Fa-f]{1,4}:){5}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:[0-9A-Fa-f]{1,4})?::(?:[0-9A-Fa-f]{1,4}:){4}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[0-9A-Fa-f]{1,4}:){0,1}[0-9A-Fa-f]{1,4})?::(?:[0-9A-Fa-f]{1,4}:){3}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[0-9A-Fa-f]{1,4}:){0,2}[0-9A-Fa-f]{1,4})?::(?:[0-9A-Fa-f]{1,4}:){2}(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[0-9A-Fa-f]{1,4}:){0,3}[0-9A-Fa-f]{1,4})?::[0-9A-Fa-f]{1,4}:(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[0-9A-Fa-f]{1,4}:){0,4}[0-9A-Fa-f]{1,4})?::(?:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))|(?:(?:[0-9A-Fa-f]{1,4}:){0,5}[0-9A-Fa-f]{1,4})?::[0-9A-Fa-f]{1,4}|(?:(?:[0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{1,4})?::)\]'
  );

create or replace macro bracketed_host(t) as case when is_ipv6(t) then t else '' end;

-- The host of a text, '' if there is none. No text matches both patterns.
create or replace macro host_as_written(t) as
  regexp_extract(
    t,
    '^(?i:https?://|//)?(?:[^/?#@]*@)?([^\p{Z}\x{09}-\x{0D}\x{85}/?#:@\[\]%]+)(?::[0-9]+)?(?:[/?#](?s:.*))?$',
    1
  )
  || case
    when contains(t, '[') then bracketed_host(regexp_extract(
      t, '^(?i:https?://|//)?(?:[^/?#@]*@)?(\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?(?:[/?#](?s:.*))?$', 1
    ))
    else ''
  end;

-- The pattern of a host takes the address of `mailto:name@example.com` for a user's, and its scheme for the user's name.
create or replace macro is_mail(t) as regexp_matches(t, '^(?i:mailto:)');

-- The host of a text as published, NULL if it is unreadable. (nullif would plan and compute it twice.)
create or replace macro host_of(t) as
  case
    when not is_mail(trim_white(t)) then list_filter(
      [regexp_replace(regexp_replace(lower_case(host_as_written(trim_white(t))), '\.$', ''), '^www\.', '')],
      lambda host: host != ''
    )[1]
  end;

-- True if a domain is the brand's own site, whose host is NULL where it is unreadable.
create or replace macro is_own_domain(domain, host) as
  coalesce(domain = host or ends_with(domain, '.' || host), false);

-- The host of a URL in its most common form, which one small pattern recognizes; NULL for every other text.
create or replace macro plain_host(t) as
  nullif(regexp_extract(t, '^https?://(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?:[/?#]|$)', 1), '');

-- True if a text contains a name with no letter or digit on either side. Both are tidy and in lower case. A pattern is
-- compiled for each row, so only for texts that contain the name at all.
create or replace macro names_brand(t, name) as
  case
    when contains(t, name)
      then regexp_matches(t, '(?:^|[^\p{L}\p{N}])' || regexp_escape(name) || '(?:[^\p{L}\p{N}]|$)')
    else false
  end;
