-- One row is one line of a block of NDJSON that is not blank, without its line end.
create or replace temp table lines as
with
numbered as (
  select t.n, t.line as text
  from (select string_split($text, chr(10)) as block_lines), unnest(block_lines) with ordinality as t(line, n)
),
final as (
  select
    $first_line + n - 1 as line,
    case when ends_with(text, chr(13)) then left(text, len(text) - 1) else text end as record
  from numbered
  where ltrim(text, ' ' || chr(9) || chr(13)) != ''
)
select * from final;
