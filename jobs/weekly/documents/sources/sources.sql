-- One row is a domain that web-grounded engines cited for a brand in the window: citations, the class most of them
-- have, and the mentions in the answers that cite it, each answer once. Only the first 20 of a brand.
-- Needs window_mention, window_citation, brand.
-- Feeds sources[].domain, sources[].count, sources[].sourceType, sources[].competitorMentions, sources[].brandMentions,
-- sources[].gap, sources[].answers, sources[].isOwnDomain.
with
answer as (
  select
    run_no,
    count(*) filter (where competitor_no is not null) as competitor_mentions,
    count(*) filter (where competitor_no is null) as brand_mentions
  from window_mention
  group by run_no
),
cited as (
  select brand_no, run_no, domain, count(*) as citations
  from window_citation
  group by all
),
most_common as (
  select brand_no, domain, source_type
  from window_citation
  group by brand_no, domain, source_type
  qualify row_number() over (
    partition by brand_no, domain order by count(*) desc, list_position($source_types, source_type)
  ) = 1
),
domain as (
  select
    cited.brand_no,
    cited.domain,
    sum(cited.citations)::bigint as citations,
    count(*) as answers,
    coalesce(sum(answer.competitor_mentions), 0)::bigint as competitor_mentions,
    coalesce(sum(answer.brand_mentions), 0)::bigint as brand_mentions
  from cited
  left join answer using (run_no)
  group by cited.brand_no, cited.domain
),
ranked as (
  select
    *,
    row_number() over (
      partition by brand_no order by competitor_mentions - brand_mentions desc, citations desc, domain
    ) as place
  from domain
)
select
  ranked.brand_no as "brandNo",
  ranked.domain,
  ranked.citations::integer as count,
  most_common.source_type as "sourceType",
  ranked.competitor_mentions::integer as "competitorMentions",
  ranked.brand_mentions::integer as "brandMentions",
  (ranked.competitor_mentions - ranked.brand_mentions)::integer as gap,
  ranked.answers::integer as answers,
  is_own_domain(ranked.domain, brand.host) as "isOwnDomain"
from ranked
inner join most_common using (brand_no, domain)
inner join brand using (brand_no)
where ranked.place <= $sources_size
order by ranked.brand_no, ranked.place
