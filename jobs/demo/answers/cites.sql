-- One row is one site that the answers about a brand may cite, the most cited first: `place` counts from 0.
with sites as (
  select brand, site * 2 as rank, replace(prefix, '{slug}', slug) as prefix, source_type
  from demo_brand
  join demo_industry using (industry)
  cross join demo_site
  union all
  select brand, number * 4 + 3, 'https://www.' || demo_host(company) || '/blog/', 'corporate'
  from demo_rival
  where is_competitor
  union all
  select brand, 5, 'https://www.' || demo_host(company) || '/resources/', 'corporate'
  from demo_brand
),

final as (
  select
    brand,
    (row_number() over (partition by brand order by rank, prefix) - 1)::smallint as place,
    (count(*) over (partition by brand))::smallint as sites,
    prefix,
    source_type
  from sites
)

select * from final
order by brand, place
