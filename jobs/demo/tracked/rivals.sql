-- One row is one company that answers about a brand may name besides it: first its tracked competitors, then others.
with companies as (
  select
    brand,
    salt,
    number,
    -- 5 shares no factor with 24, so that a brand meets each company of its industry once.
    first_name + industry * 24 + (demo_die(salt, 'first rival', 24) + number * 5) % 24 as company,
    number < 5 + demo_die(salt, 'competitors', 4) as is_competitor
  from demo_brand
  cross join (select first_name from demo_options)
  cross join range(24) as numbers (number)
),

final as (
  select
    brand,
    number,
    company,
    is_competitor,
    if(is_competitor, demo_uuid(demo_draw(salt, 'competitor ' || number)), null) as id,
    -- How many of a thousand answers name it, before what its prompt and engine make of it.
    if(is_competitor, 780 - 100 * number + demo_die(salt, 'strength ' || number, 160), 0) as strength
  from companies
)

select * from final
order by brand, number
