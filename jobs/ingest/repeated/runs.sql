-- One row is one staged run that was delivered before, in the lake or earlier in this delivery; `conflicting`
-- says whether its content differs from the first one's (inputs.md 1). `known_run` holds the lake's runs of the
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
    {
      brand_id: brand_id, prompt_id: prompt_id, engine: engine, cycle_date: cycle_date, ran_at: ran_at, status: status,
      mentions: mentions, citations: citations, citation_urls: citation_urls
    } as content
  from known_run
  semi join repeated_id using (id)
  union all by name
  select
    staged.id,
    earliest.place,
    {
      brand_id: brand_id, prompt_id: prompt_id, engine: engine, cycle_date: cycle_date, ran_at: ran_at, status: status,
      mentions: mentions, citations: citations, citation_urls: citation_urls
    } as content
  from staged_runs as staged
  inner join first_in_delivery as earliest
    on earliest.id = staged.id and earliest.place = {file: staged.file, line: staged.line}
  where staged.id not in (select id from known_run)
),
final as (
  select
    staged.rowid as staged_row,
    staged.file,
    staged.line,
    {
      brand_id: staged.brand_id, prompt_id: staged.prompt_id, engine: staged.engine, cycle_date: staged.cycle_date,
      ran_at: staged.ran_at, status: staged.status, mentions: staged.mentions, citations: staged.citations,
      citation_urls: staged.citation_urls
    } is distinct from reference.content as conflicting
  from staged_runs as staged
  inner join reference using (id)
  where reference.place is null or reference.place != {file: staged.file, line: staged.line}
)
select * from final;
