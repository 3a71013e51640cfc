-- One row is a series that was answered up to the last cycle of the base: in how many cycles, and every spelling by
-- which somebody was named there. Parquet has no HUGEINT, so the set of cycles is cut in two.
with
listed as (
  select
    series_no,
    list({
      subject: subject::varchar,
      competitor_id: competitor_id,
      name: name,
      era: era,
      entries: entries,
      cycles_low: (cycles & ((1::hugeint << 60) - 1))::bigint,
      cycles_high: (cycles >> 60)::bigint
    }) as names
  from naming
  group by series_no
),
final as (
  select
    asked.brand_id,
    asked.prompt_id,
    enum_range(null::engine_slug)[observed.series_no % 8 + 1] as engine,
    observed.cycles,
    coalesce(listed.names, []) as names
  from observed
  inner join asked on asked.asked_no = observed.series_no // 8
  left join listed using (series_no)
)
select * from final
order by brand_id, prompt_id, engine
