-- One row is one spelling of a name that the answers about a brand may hold: first the brand's own, then its rivals'.
with candidates as (
  select brand, 1 as place, 'brand' as subject, null as competitor_id, company, suffix
  from demo_brand
  join demo_industry using (industry)
  union all
  select
    brand,
    number + 2,
    if(is_competitor, 'competitor', 'other'),
    demo_rival.id,
    demo_rival.company,
    -- Of the others, every fourth is at times named with what it sells.
    if(is_competitor or number % 4 = 0, suffix, null)
  from demo_rival
  join demo_brand using (brand)
  join demo_industry using (industry)
),

final as (
  select
    brand,
    place::smallint as place,
    unnest([1, 2, 3, 4])::smallint as spelling,
    unnest(demo_spellings(company, suffix)) as name,
    subject,
    competitor_id
  from candidates
)

select * from final
order by brand, place, spelling
