-- Canonry's results export, `canonry.results-export/v1` (packages/contracts/src/results-export.ts), as JSON.
-- What it does not contain: sentiment, rivals' names (give names.csv), the kind of a cited page, engines that are not asked by
-- one of its four providers. Its competitorOverlap is no list of mentions, so mentions are found in the answers' text.
create table source.results (
  schemaVersion varchar not null,
  project struct(id varchar, displayName varchar, canonicalDomain varchar) not null,
  records struct(
    runTrigger varchar, snapshotId varchar, snapshotCreatedAt varchar, queryId varchar, query varchar, provider varchar,
    citedUrls varchar[], captureStatus varchar, answerText varchar, groundingSources struct(uri varchar)[]
  )[] not null
);

-- Optional: rivals and aliases. A row whose name is the project's display name holds the aliases of the brand.
create table extra.names (name varchar not null, aliases varchar);

create macro brand_id(project) as id_of('canonry project', project.id);
create macro competitor_id(project, name) as id_of('canonry competitor', project.id || chr(10) || tidy(name));
create macro workspace_id() as
  coalesce(to_uuid(setting('workspace_id', '')), id_of('canonry workspace', setting('workspace', 'Imported')));
create macro prompt_id(project, record) as
  id_of('canonry query', project.id || chr(10) || coalesce(record.queryId, tidy(record.query)));

create view export as
select project, records
from source.results
where case
    when schemaVersion = 'canonry.results-export/v1' then true
    else error('schemaVersion is ' || schemaVersion || ', not canonry.results-export/v1')
  end;

create view project as select distinct project from export;

create view record as select project, unnest(records) as r from export;

create view workspaces as
select
  workspace_id() as id,
  setting('workspace', 'Imported') as name,
  time_of(setting('created_at', '1970-01-01')) as created_at;

create view brands as
select
  brand_id(project) as id,
  workspace_id() as workspace_id,
  min(tidy(project.displayName)) as name,
  min(project.canonicalDomain) as domain,
  time_of(setting('created_at', '1970-01-01')) as created_at
from project
group by brand_id(project);

create view competitors as
select distinct competitor_id(project, name) as id, brand_id(project) as brand_id, tidy(name) as name
from project, extra.names
where tidy(name) <> tidy(project.displayName);

create view names as
select brand_id(project) as brand_id, null as competitor_id, project.displayName as name from project
union all
select
  brand_id(project),
  case when tidy(name) <> tidy(project.displayName) then competitor_id(project, name) end,
  unnest([name] || items_of(aliases, ';'))
from project, extra.names;

-- A query's text may change; the newest counts.
create view prompts as
select
  prompt_id(project, r) as id,
  brand_id(project) as brand_id,
  arg_max(tidy(r.query), (time_of(r.snapshotCreatedAt), r.query)) as text,
  time_of(setting('created_at', '1970-01-01')) as created_at
from record
where r.query is not null and coalesce(r.runTrigger, '') <> 'probe'
group by all;

create macro engine_of_provider(provider) as
  coalesce(engine_of(provider), map {'openai': 'chatgpt', 'cdp:chatgpt': 'chatgpt'}[provider]);

create view runs as
select
  id_of('canonry snapshot', r.snapshotId) as id,
  brand_id(project) as brand_id,
  prompt_id(project, r) as prompt_id,
  engine_of_provider(r.provider) as engine,
  time_of(r.snapshotCreatedAt) as ran_at,
  case
    when r.captureStatus = 'failed' then 'failed'
    when is_blank(coalesce(r.answerText, '')) then 'no_answer'
    else 'success'
  end as status,
  r.answerText as answer,
  citations_of(coalesce(r.citedUrls, list_transform(r.groundingSources, lambda source: source.uri))) as citations,
  case
    when r.query is null then 'the query was removed'
    when engine_of_provider(r.provider) is null then unknown_engine(r.provider)
  end as skip
from record
-- A probe is a try of its user's, not a measurement.
where coalesce(r.runTrigger, '') <> 'probe';

create view notes (note) as
values
  ('Mentions were found in the text of the answers, by the project''s display name and the names of names.csv.'),
  ('Sentiment is null and every citation is of the type other: Canonry does not say.'),
  ('Probes were left out.');
