-- One row is one staged run that was delivered before, in the lake or earlier in this delivery; `conflicting`
-- says whether its content differs from the first one's (docs/ingest.md). `known_run` is the lake's runs of the
-- cycles that the ids in question belong to.
create or replace temp table repeated as
with
first_in_delivery as (
  select staged.id, min({file: staged.file, line: staged.line}) as place
  from staged_runs as staged
  semi join repeated_id using (id)
  group by staged.id
),
reference as (
  select
    id,
    null as place,
    run_content(known_run) as content
  from known_run
  semi join repeated_id using (id)
  union all by name
  select
    staged.id,
    earliest.place,
    run_content(staged) as content
  from staged_runs as staged
  inner join first_in_delivery as earliest
    on earliest.id = staged.id and earliest.place = {file: staged.file, line: staged.line}
  where staged.id not in (select id from known_run)
)
select
  staged.rowid as staged_row,
  staged.file,
  staged.line,
  run_content(staged) is distinct from reference.content as conflicting
from staged_runs as staged
inner join reference using (id)
where reference.place is null or reference.place != {file: staged.file, line: staged.line};
