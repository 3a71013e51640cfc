-- One row is an active prompt on an engine that answered it: the cycles observed, those in which the brand was
-- named, and every name with the cycles in which it appeared, most often first (methodology, Stability).
with
observed as (
  select brand.brand_no, prompt.id as prompt_id, prompt.created_at, prompt.text, seen.engine, count(*) as cycles
  from answered_prompt as seen
  inner join brand on brand.id = seen.brand_id
  inner join prompt on prompt.brand_no = brand.brand_no and prompt.id = seen.prompt_id
  where prompt.is_active
  group by all
),
spelling as (
  select name, tidy(name) as entity, lower_case(tidy(name)) as folded
  from (select distinct name from named)
),
-- A name is the brand, a tracked competitor, or else its own text.
entry as (
  select
    brand.brand_no,
    named.prompt_id,
    named.engine,
    named.cycle_date,
    case when named.subject = 'brand' then 'brand' when competitor.id is not null then 'competitor' else 'other' end
      as subject,
    competitor.id as competitor_id,
    case when named.subject != 'brand' and competitor.id is null then spelling.folded end as folded,
    spelling.entity,
    named.entries
  from named
  inner join brand on brand.id = named.brand_id
  inner join prompt on prompt.brand_no = brand.brand_no and prompt.id = named.prompt_id and prompt.is_active
  inner join spelling on spelling.name = named.name
  left join competitor
    on named.subject = 'competitor' and competitor.brand_no = brand.brand_no and competitor.id = named.competitor_id
),
spelled as (
  select brand_no, prompt_id, engine, subject, competitor_id, folded, entity, sum(entries)::bigint as entries
  from entry
  group by all
),
most_frequent as (
  select brand_no, prompt_id, engine, subject, competitor_id, folded, entity
  from spelled
  qualify row_number() over (
    partition by brand_no, prompt_id, engine, subject, competitor_id, folded order by entries desc, entity
  ) = 1
),
appearance as (
  select brand_no, prompt_id, engine, subject, competitor_id, folded, count(distinct cycle_date) as cycles
  from entry
  group by all
),
name as (
  select appearance.brand_no, appearance.prompt_id, appearance.engine, appearance.subject, appearance.cycles, entity
  from appearance
  inner join most_frequent
    on appearance.brand_no = most_frequent.brand_no
    and appearance.prompt_id = most_frequent.prompt_id
    and appearance.engine = most_frequent.engine
    and appearance.subject = most_frequent.subject
    and appearance.competitor_id is not distinct from most_frequent.competitor_id
    and appearance.folded is not distinct from most_frequent.folded
),
listed as (
  select
    brand_no,
    prompt_id,
    engine,
    coalesce(max(cycles) filter (where subject = 'brand'), 0) as brand_cycles,
    list({entity: entity, cycles: cycles::integer} order by cycles desc, entity) as names
  from name
  group by all
),
final as (
  select
    observed.brand_no::integer as brand_no,
    observed.prompt_id::varchar as prompt_id,
    observed.text as prompt_text,
    observed.created_at,
    observed.engine,
    observed.cycles::integer as cycles_observed,
    coalesce(listed.brand_cycles, 0)::integer as brand_cycles,
    coalesce(listed.names, []) as names
  from observed
  left join listed using (brand_no, prompt_id, engine)
)
select * exclude (created_at) from final
order by brand_no, created_at, prompt_id, engine
