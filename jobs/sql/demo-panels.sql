-- One row is one brand: whom and what its answers can name and cite, as lists.
with candidates as (
  select
    rivals.brand,
    list({
      subject: if(is_competitor, 'competitor', 'other'),
      id: rivals.id,
      strength: strength,
      -- Of the others, every fourth is at times named with what it sells.
      spellings: demo_spellings(rivals.company, if(is_competitor or number % 4 = 0, suffix, null))
    } order by number) as rivals
  from demo_rival as rivals
  join demo_brand using (brand)
  join demo_industry using (industry)
  group by rivals.brand
),

sites as (
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

cited as (
  select brand, list({prefix: prefix, source_type: source_type} order by rank, prefix) as sites
  from sites
  group by brand
),

final as (
  select
    demo_brand.brand,
    {
      subject: 'brand',
      id: null::varchar,
      strength: 600,
      spellings: demo_spellings(company, suffix)
    } as brand_candidate,
    rivals,
    sites
  from demo_brand
  join demo_industry using (industry)
  join candidates using (brand)
  join cited using (brand)
)

select brand, list_prepend(brand_candidate, rivals) as candidates, sites from final
order by brand
