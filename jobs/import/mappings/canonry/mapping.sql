-- Canonry's results export, `canonry.results-export/v1` (packages/contracts/src/results-export.ts of version 4.177), as JSON.
-- What it does not contain: sentiment, rivals' names (give names.csv), the kind of a cited page, engines that are not asked by
-- one of its four providers. Its competitorOverlap is no list of mentions, so mentions are found in the answers' text.
create table source.results (
  schemaVersion varchar not null,
  project struct(id varchar, displayName varchar, canonicalDomain varchar) not null,
  recordCount bigint,
  records struct(
    runTrigger varchar, snapshotId varchar, snapshotCreatedAt varchar, queryId varchar, query varchar, provider varchar,
    model varchar, citedUrls varchar[], captureStatus varchar, answerText varchar, groundingSources struct(uri varchar)[]
  )[] not null
);

-- Optional: rivals and aliases. A row whose name is the project's display name holds the aliases of the brand.
create table extra.names (name varchar not null, aliases varchar);

create macro brand_id(project) as id_of('canonry project', project.id);
create macro competitor_id(project, name) as id_of('canonry competitor', project.id || chr(10) || key_of(name));
create macro is_own(project, name) as key_of(name) = key_of(project.displayName);
create macro prompt_id(project, record) as
  id_of('canonry query', project.id || chr(10) || coalesce(record.queryId, tidy(record.query)));

create view export as
select project, recordCount, records, source_file, source_row
from source.results
where case
    when schemaVersion = 'canonry.results-export/v1' then true
    else error('schemaVersion is ' || schemaVersion || ', not canonry.results-export/v1')
  end;

-- A probe is a try of its user's, not a measurement.
create view record as
select project, r, source_file, source_row
from (select project, unnest(records) as r, source_file, source_row from export)
where coalesce(r.runTrigger, '') <> 'probe';

create view missing as
select 'records: there are fewer than recordCount says' as reason, sum(recordCount - len(records)) as answers
from export
where recordCount > len(records)
having count(*) > 0;

create view workspaces as select workspace_of('canonry') as id, setting('workspace', 'Imported') as name;

create view brands as
select
  brand_id(project) as id,
  workspace_of('canonry') as workspace_id,
  min(tidy(project.displayName)) as name,
  min(project.canonicalDomain) as domain
from export
group by brand_id(project);

create view competitors as
select
  competitor_id(project, name) as id,
  brand_id(project) as brand_id,
  arg_min(tidy(name), (rival.source_file, rival.source_row)) as name
from export, extra.names as rival
where not is_own(project, name)
group by all;

create view names as
select brand_id(project) as brand_id, null as competitor_id, project.displayName as name from export
union all
select
  brand_id(project),
  case when not is_own(project, name) then competitor_id(project, name) end,
  unnest([name] || items_of(aliases))
from export, extra.names;

-- A query's text may change; the newest counts.
create view prompts as
select
  prompt_id(project, r) as id,
  brand_id(project) as brand_id,
  arg_max(tidy(r.query), (time_of(r.snapshotCreatedAt), r.query)) as text
from record
where r.query is not null
group by all;

create macro provider_names() as map {'openai': 'chatgpt', 'cdp:chatgpt': 'chatgpt'};
create macro is_chosen(provider) as getvariable('engines')[lower(provider)] is not null;

-- openai, claude, gemini and perplexity are APIs; cdp:chatgpt is a browser. Which of two is measured must not depend on the
-- hour, so a person chooses.
create view mixed as
select
  engine_of(r.provider, provider_names()) as engine,
  list(distinct r.provider order by r.provider) as providers,
  bool_and(is_chosen(r.provider)) as is_chosen
from record
where engine is not null
group by engine
having count(distinct r.provider) > 1;

create view runs as
select
  id_of('canonry snapshot', r.snapshotId) as id,
  brand_id(project) as brand_id,
  prompt_id(project, r) as prompt_id,
  engine_of(r.provider, provider_names()) as engine,
  time_of(r.snapshotCreatedAt) as ran_at,
  -- captureStatus is about the cited URLs only: their resolution may fail where the answer is valid.
  case when is_blank(coalesce(r.answerText, '')) then 'no_answer' else 'success' end as status,
  r.answerText as answer,
  r.model as model,
  citations_of(
    case
      when coalesce(r.captureStatus, '') <> 'failed'
        then coalesce(r.citedUrls, list_transform(r.groundingSources, lambda source: source.uri))
    end
  ) as citations,
  case
    when (select bool_or(not is_chosen) from mixed) then error((
      select
        'the providers ' || array_to_string(providers, ' and ') || ' both stand for ' || engine
        || ': one is an API, the other a browser. Skip one, such as --engine ' || providers[1] || '=skip'
      from mixed
      where not is_chosen
      order by engine
      limit 1
    ))
    when r.query is null then 'the query was removed'
    else unknown_engine(r.provider, provider_names())
  end as skip,
  source_file,
  'snapshotId ' || r.snapshotId as cell
from record;

create view notes (note) as
select 'Mentions were found in the text of the answers, by the project''s display name and the names of names.csv.'
union all
select 'Sentiment is null and every citation is of the type other: Canonry does not say.'
union all
select 'Probes were left out.'
union all
select 'These providers are APIs, whose answers differ from what people see: ' || string_agg(distinct r.provider, ', ' order by r.provider)
from record
where not starts_with(r.provider, 'cdp:') and engine_of(r.provider, provider_names()) is not null
having count(*) > 0
union all
select 'The citations of ' || count(*) || ' answers are unknown, because their URLs could not be resolved: they count as none.'
from record
where r.captureStatus = 'failed' and not is_blank(coalesce(r.answerText, ''))
having count(*) > 0;
