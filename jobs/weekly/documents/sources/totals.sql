-- One row is a brand: its answered runs of the window on web-grounded engines, and their citations, all and those of the brand's
-- own site. `ownSite` is NULL where the host of the brand's domain is unreadable. The columns are published as they are.
-- Needs window_run, window_citation, brand.
-- Feeds answers, answersCiting, citations, domains, ownSite.citations, ownSite.answers, ownSite.perEngine[].slug,
-- ownSite.perEngine[].answers, ownSite.perEngine[].answersCiting, ownSite.perEngine[].answersCitingOwnSite.
with
citing as (
  select
    cited.run_no,
    count(*) as citations,
    count(*) filter (where is_own_domain(cited.domain, brand.host)) as own_citations
  from window_citation as cited
  inner join brand using (brand_no)
  group by cited.run_no
),
on_engine as (
  select
    answer.brand_no,
    answer.engine,
    count(*)::integer as answers,
    count(citing.run_no)::integer as answers_citing,
    (count(*) filter (where citing.own_citations > 0))::integer as answers_citing_own,
    coalesce(sum(citing.citations), 0)::integer as citations,
    coalesce(sum(citing.own_citations), 0)::integer as own_citations
  from window_run as answer
  left join citing using (run_no)
  where answer.status = 'success' and list_contains($web_grounded, answer.engine::varchar)
  group by answer.brand_no, answer.engine
),
total as (
  select
    brand_no,
    sum(answers)::integer as answers,
    sum(answers_citing)::integer as answers_citing,
    sum(answers_citing_own)::integer as answers_citing_own,
    sum(citations)::integer as citations,
    sum(own_citations)::integer as own_citations,
    list({
      'slug': engine::varchar,
      'answers': answers,
      'answersCiting': answers_citing,
      'answersCitingOwnSite': answers_citing_own
    } order by engine) as engines
  from on_engine
  group by brand_no
),
cited_domain as (
  select brand_no, count(distinct domain)::integer as domains from window_citation
  group by brand_no
)
select
  brand.brand_no as "brandNo",
  coalesce(total.answers, 0) as answers,
  coalesce(total.answers_citing, 0) as "answersCiting",
  coalesce(total.citations, 0) as citations,
  coalesce(cited_domain.domains, 0) as domains,
  case
    when brand.host is not null
      then {
        'citations': coalesce(total.own_citations, 0),
        'answers': coalesce(total.answers_citing_own, 0),
        'perEngine': coalesce(total.engines, [])
      }
  end as "ownSite"
from brand
left join total using (brand_no)
left join cited_domain using (brand_no)
where brand.brand_no between $first_brand and $last_brand
order by brand.brand_no
