-- One row is one prompt.
with numbered as (
  select
    demo_brand.* exclude (id, salt, name, created_at),
    demo_brand.id as brand_id,
    demo_brand.created_at as brand_created_at,
    number,
    brand * prompts + number as prompt,
    demo_draw(demo_brand.salt, 'prompt ' || number) as salt,
    -- 7 shares no factor with 30: no pattern comes twice before all have come once.
    (demo_die(demo_brand.salt, 'first question', 30) + number * 7) % 30 as question,
    demo_die(demo_brand.salt, 'first buyer', 5) + number // 30 + number as choice,
    options.cycles,
    options.last_cycle,
    -- Paused ones stopped two to four weeks ago, late ones began six weeks ago; a brand's first three do neither.
    number >= 3 and demo_die(demo_draw(demo_brand.salt, 'prompt ' || number), 'paused', 12) = 0 as is_paused,
    number >= 3 and demo_die(demo_draw(demo_brand.salt, 'prompt ' || number), 'late', 20) = 0 as is_late
  from demo_brand
  cross join demo_options as options
  cross join range(options.prompts) as numbers (number)
),

final as (
  select
    numbered.brand,
    prompt,
    salt,
    demo_uuid(salt) as id,
    brand_id,
    replace(replace(replace(replace(replace(
      pattern,
      '{category}', category),
      '{buyer}', buyers[choice % 5 + 1]),
      '{need}', needs[choice % 4 + 1]),
      '{rival}', demo_name(rival.company)),
      '{year}', year(last_cycle)::varchar
    ) as text,
    [if(contains(pattern, '{rival}'), 'comparison', 'discovery')] as tags,
    not is_paused as is_active,
    if(is_late, greatest(first_week, cycles - 6), first_week) as first_week,
    if(is_paused, greatest(cycles - 2 - demo_die(salt, 'paused at', 3), first_week + 1), cycles) as end_week,
    if(is_late, greatest(brand_created_at, last_cycle - to_days(40)), brand_created_at)
    + to_minutes(numbered.number + 1) as created_at
  from numbered
  join demo_industry using (industry)
  join demo_question using (question)
  join demo_rival as rival on rival.brand = numbered.brand and rival.number = choice % 3
)

select * from final
order by prompt
