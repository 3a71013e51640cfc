-- One row is one line of a block of NDJSON that is not blank, without its line end. The lines of $text have the numbers
-- from $first_line on.
-- (`unnest … with ordinality` numbers the lines as well, in four times the time.)
-- Makes lines.
create or replace temp table lines as
with
numbered as (
  select row_number() over () as n, text
  from (select unnest(string_split($text, chr(10))) as text)
)
select
  $first_line + n - 1 as line,
  case when ends_with(text, chr(13)) then left(text, len(text) - 1) else text end as record
from numbered
where not regexp_full_match(text, '[ \t\r]*');
