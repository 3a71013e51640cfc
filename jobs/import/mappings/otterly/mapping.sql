-- Otterly's public API, version 1 (docs.otterly.ai, 2026): GET /v1/reports/brand/{reportId} in a file whose name begins with
-- report, the pages of …/prompts in files that begin with prompts, and those of …/prompts/{promptId}/ai-responses in files that
-- begin with responses. A page of responses does not name its prompt: the file's name must contain the prompt's id, or the
-- page a promptId.
-- What it does not contain: sentiment, positions (mentions are searched for in the text), the kind of a cited page, the model
-- behind an engine.
create table source.report (
  id varchar not null,
  brand varchar not null,
  brandVariations varchar[],
  brandDomain varchar,
  countryPromptsTotal map(varchar, bigint),
  competitors struct(brand varchar, brandVariations varchar[])[]
);
create table source.prompts (
  items struct(id varchar, prompt varchar, country varchar, tags struct(name varchar)[])[] not null
);
create table source.responses (
  promptId varchar,
  items struct(
    runId varchar, runDate varchar, engine varchar, state varchar, content varchar, overviewAvailable boolean,
    brandMentions struct(brand varchar, mentions bigint)[], citations struct(link varchar, rank bigint)[]
  )[] not null,
  paging struct(hasMore boolean)
);

-- The answers of one report: a prompt's id is its own in each.
create view report as
select
  case when count(*) over () > 1 then error('give the files of one report at a time') else id end as report_id,
  brand,
  brandVariations,
  brandDomain,
  competitors,
  countryPromptsTotal as totals,
  id_of('otterly report', id) as brand_id
from (select distinct * exclude (source_file, source_row) from source.report);

create view competitor as
select brand_id, id_of('otterly competitor', report_id || chr(10) || key_of(c.brand)) as competitor_id, c
from (select *, unnest(competitors) as c from report);

-- One country: the same prompt is asked in several.
create view prompt as
select
  p.id,
  case
    when count(distinct p.country) over () > 1 then error('the prompts have several countries; choose with --set country=…')
    else p.prompt
  end as prompt,
  p.country,
  p.tags as tags
from (select distinct unnest(items) as p from source.prompts)
where setting('country', '') in ('', p.country);

create view page as
select
  coalesce(
    promptId,
    (select min(id) from prompt where contains(source_file, id)),
    error(source_file || ': its name has no id of a prompt, and the page has no promptId')
  ) as prompt_id,
  items,
  paging,
  source_file
from source.responses;

create view response as select prompt_id, unnest(items) as r, source_file from page;

create view missing as
select 'prompts without a file of responses' as reason, count(*) as answers
from prompt
where id not in (select prompt_id from page)
union all
-- A page of prompts has 25 unless one asks for more, and does not say whether there is another.
select 'prompts: there are fewer than countryPromptsTotal of the report says', sum(total - prompts)
from (select totals[country] as total, count(*) as prompts from prompt, report group by totals, country)
where total > prompts
having count(*) > 0
union all
select 'the pages of ' || count(*) || ' prompts have no end: hasMore is true on each', null
from (select prompt_id from page group by prompt_id having bool_and(coalesce(paging.hasMore, false)))
having count(*) > 0;

create view workspaces as select workspace_of('otterly') as id, setting('workspace', 'Imported') as name;

create view brands as
select
  brand_id as id,
  workspace_of('otterly') as workspace_id,
  tidy(brand) as name,
  coalesce(brandDomain, '') as domain
from report;

create view competitors as
select competitor_id as id, brand_id, min(tidy(c.brand)) as name from competitor group by all;

create view names as
select brand_id, null as competitor_id, unnest([brand] || coalesce(brandVariations, [])) as name from report
union all
select brand_id, competitor_id, unnest([c.brand] || coalesce(c.brandVariations, [])) from competitor;

create view prompts as
select
  id_of('otterly prompt', prompt.id) as id,
  brand_id,
  max(tidy(prompt)) as text,
  list_sort(list_distinct(flatten(list(list_transform(coalesce(tags, []), lambda tag: tag.name))))) as tags
from prompt, report
group by prompt.id, brand_id;

-- google is the AI Overview above the results of a search.
create macro engine_names() as map {'google': 'ai_overview'};

create view runs as
select
  id_of('otterly run', prompt_id || chr(10) || r.runId || chr(10) || r.engine) as id,
  brand_id,
  id_of('otterly prompt', prompt_id) as prompt_id,
  engine_of(r.engine, engine_names()) as engine,
  time_of(r.runDate) as ran_at,
  case
    when r.state = 'failed' then 'failed'
    when is_blank(coalesce(r.content, '')) or r.overviewAvailable = false then 'no_answer'
    else 'success'
  end as status,
  r.content as answer,
  citations_of(list_transform(
    list_sort(list_transform(r.citations, lambda c: {'rank': c.rank, 'link': c.link})), lambda c: c.link
  )) as citations,
  case
    when prompt_id not in (select id from prompt)
      then if(setting('country', '') = '', 'its prompt is in no prompts file', 'a prompt of another country')
    when r.state not in ('completed', 'failed') then 'the state of the run is ' || r.state
    else unknown_engine(r.engine, engine_names())
  end as skip,
  source_file,
  'runId ' || r.runId || ' of prompt ' || prompt_id as cell
from response, report;

create view notes (note) as
select 'Mentions were found in the text of the answers, by the brands and their variations in the report: Otterly gives no positions.'
union all
select 'Sentiment is null and every citation is of the type other: Otterly does not say it of a response.'
union all
select count(*) || ' answers mention a brand by Otterly''s count whose name and variations are not in their text as whole words.'
from (
  select r, unnest(r.brandMentions).brand as named
  from response
  where r.state = 'completed'
)
join (
  select brand as named, [brand] || coalesce(brandVariations, []) as variations from report
  union all
  select c.brand, [c.brand] || coalesce(c.brandVariations, []) from competitor
) as known using (named)
where len(list_filter(variations, lambda name: word_at(folded(r.content), trim(folded(name))) is not null)) = 0
having count(*) > 0;
