-- One row is a brand on an engine in a cycle: its runs, prompts answered and prompts that named it.
insert into score by name
with
asked as (
  select
    brand_id,
    prompt_id,
    engine,
    count(*) as runs,
    bool_or(status = 'success') as is_answered
  from cycle_run
  group by brand_id, prompt_id, engine
),
naming_brand as (
  select distinct brand_no, unnest(series) as series from spelling
  where subject = 'brand'
),
final as (
  select
    asked.brand_id,
    asked.engine::engine_slug as engine,
    $cycle_date::date as cycle_date,
    sum(asked.runs)::integer as runs,
    (count(*) filter (where asked.is_answered))::integer as answered,
    count(naming_brand.series)::integer as named
  from asked
  left join answered_prompt using (brand_id, prompt_id)
  left join naming_brand
    on
      naming_brand.brand_no = answered_prompt.brand_no
      and naming_brand.series = answered_prompt.prompt_no * 8 + enum_code(asked.engine::engine_slug)
  group by asked.brand_id, asked.engine
)
select * from final
