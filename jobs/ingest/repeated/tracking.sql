-- One row is one staged record whose id stands earlier in the same delivery; `conflicting` says whether its
-- content differs from the first one's. {kind} is the tracking kind, {content} its columns.
create or replace temp table repeated as
with
ranked as (
  select
    rowid as staged_row,
    file,
    line,
    row_number() over (partition by id order by file, line) as place,
    {content} is distinct from first({content}) over (partition by id order by file, line) as conflicting
  from staged_{kind}
)
select staged_row, file, line, conflicting from ranked where place > 1;
