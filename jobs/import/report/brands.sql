-- One row is one brand with what its drop will show: the table at the end of the import's report. Counts are of runs.
-- Needs candidate, placed, given_competitors, given_brands.
with
run as (
  select candidate.*
  from candidate
  join placed on placed.candidate = candidate.rowid
  where place = 1
),
answers as (
  select
    brand_id,
    count(*) as runs,
    count(*) filter (where status = 'success') as answers,
    count(*) filter (where len(list_filter(mentions, lambda m: m.subject = 'brand')) > 0) as "namedIn",
    sum(len(list_filter(mentions, lambda m: m.subject = 'competitor'))) as "competitorMentions",
    sum(len(citations)) as citations,
    count(distinct engine) as engines,
    count(distinct cycle_date) as cycles
  from run
  group by brand_id
),
cited_url as (select distinct brand_id, unnest(citations).url as url from run),
domains as (
  select brand_id, count(distinct coalesce(plain_host(url), host_of(url))) as domains from cited_url group by brand_id
),
other as (
  select brand_id, name, count(*) as answers
  from (select brand_id, unnest(list_filter(mentions, lambda m: m.subject = 'other'), recursive := true) from run)
  group by brand_id, name
),
most_named as (
  select brand_id, list(name || ' (' || answers || ')' order by answers desc, name)[:3] as others from other group by brand_id
),
competitors as (select brand_id, count(*) as competitors from given_competitors group by brand_id)
select
  coalesce(given.name, brand_id::varchar) as brand,
  coalesce(runs, 0)::double as runs,
  coalesce(answers.answers, 0)::double as answers,
  coalesce("namedIn", 0)::double as "namedIn",
  coalesce(competitors, 0)::double as competitors,
  coalesce("competitorMentions", 0)::double as "competitorMentions",
  coalesce(citations, 0)::double as citations,
  coalesce(domains, 0)::double as domains,
  coalesce(engines, 0)::double as engines,
  coalesce(cycles, 0)::double as cycles,
  to_json(coalesce(others, []))::varchar as others
from (select id as brand_id, name from given_brands) as given
full join answers using (brand_id)
left join domains using (brand_id)
left join competitors using (brand_id)
left join most_named using (brand_id)
order by brand, brand_id
