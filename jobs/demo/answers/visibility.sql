-- One row is one brand on one engine in one week: how many prompts were answered, and in how many the brand is to be
-- named. The last week is the rounded mean of the weeks before it, well inside any drift band; but for the one brand and
-- engine of a workspace that fall out of theirs.
with answered as (
  select brand, engine_number, engine, week, count(*) filter (status = 'success') as answered
  from demo_schedule
  group by brand, engine_number, engine, week
),

drifting as (
  select
    answered.*,
    demo_draw(demo_brand.salt, engine_number) as salt,
    180 + demo_die(demo_brand.salt, 'visibility', 480) + demo_die(demo_brand.salt, engine, 200) as base,
    -- Tenths of a percentage point, a step a week.
    sum(demo_die(demo_brand.salt, 'drift ' || engine || week, 31) - 15)
      over (partition by brand, engine_number order by week)::integer as drift,
    demo_die(demo_brand.salt, 'noise ' || engine || week, 101) - 50 as noise,
    coalesce(engine = fallen_engine, false) as is_fallen
  from answered
  join demo_brand using (brand)
),

ordinary as (
  select
    brand,
    engine_number,
    week,
    answered,
    is_fallen,
    -- The fallen one was high and steady.
    (answered * if(is_fallen, 780, least(greatest(base + drift + noise, 30), 960)) + 500) // 1000 as named,
    row_number() over (partition by brand, engine_number order by answered = 0, week desc) as age
  from drifting
),

means as (
  select brand, engine_number, (sum(named * 100000 // answered) // count(*))::bigint as mean
  from ordinary
  where age between 2 and 13 and answered > 0
  group by brand, engine_number
),

final as (
  select
    brand,
    engine_number,
    week,
    case
      when age > 1 or mean is null then named
      when is_fallen then answered // 10
      else (answered * mean + 50000) // 100000
    end as named
  from ordinary
  left join means using (brand, engine_number)
)

select * from final
order by brand, engine_number, week
