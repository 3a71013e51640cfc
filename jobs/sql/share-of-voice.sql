-- One row is a brand (competitor_id NULL) or a tracked competitor of it, with its mentions in the window.
with
counted as (
  select brand_no, competitor_id, count(*) as mentions
  from window_mention
  group by brand_no, competitor_id
),
rival as (
  select brand_no, null::uuid as competitor_id, name, true as is_brand from brand
  union all
  select brand_no, id as competitor_id, name, false as is_brand from competitor
),
final as (
  select
    rival.brand_no::integer as brand_no,
    rival.competitor_id,
    rival.name,
    rival.is_brand,
    coalesce(counted.mentions, 0)::integer as mentions
  from rival
  left join counted
    on counted.brand_no = rival.brand_no and counted.competitor_id is not distinct from rival.competitor_id
)
select * exclude (competitor_id) from final
order by brand_no, mentions desc, is_brand desc, name, competitor_id
