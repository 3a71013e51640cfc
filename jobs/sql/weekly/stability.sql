-- One row is an active prompt on an engine that answered it: the cycles observed, those in which the brand was named,
-- and every name, most often seen first. A name is one number, cycles missed * 2^31 + entity_no, in a list that sorts
-- by itself and reaches JavaScript without an object for each name.
with
listed as (
  select
    series.place,
    max(named.cycles) filter (where named.who = 0) as brand_cycles,
    list_sort(list((series.cycles - named.cycles) * 2147483648.0 + named.entity_no)) as names
  from named
  inner join published_series as series using (place)
  group by series.place
),
final as (
  select
    series.brand_no,
    prompt.id::varchar as prompt_id,
    prompt.text as prompt_text,
    enum_range(null::engine_slug)[series.place % 8 + 1] as engine,
    series.cycles as cycles_observed,
    coalesce(listed.brand_cycles, 0)::integer as brand_cycles,
    coalesce(listed.names, []) as names,
    series.place
  from published_series as series
  inner join prompt on prompt.prompt_no = series.place // 8
  left join listed using (place)
)
select * exclude (place) from final
order by final.place
