-- One row is one tracked competitor, as it is delivered.
select demo_rival.id, demo_brand.id as brand_id, demo_name(demo_rival.company) as name
from demo_rival
join demo_brand using (brand)
where is_competitor
order by brand, number
