-- Profound's answers, version 2 (POST /v2/prompts/answers, docs.tryprofound.com, June 2026), one page a file or a line.
-- What it does not contain: sentiment of a mention, the kind of a cited page, whether a surface served no answer (an empty
-- response counts as none), the time of day (its days are those of New York).
create table source.answers (
  data struct(
    run_id varchar, date varchar, model struct(name varchar), region varchar, persona varchar, prompt varchar,
    prompt_id varchar, response varchar, mentions varchar[], citations varchar[]
  )[] not null
);

-- Optional: rivals and aliases. A row whose name is that of --set brand holds the brand's aliases.
create table extra.names (name varchar not null, aliases varchar);

create macro own_brand() as tidy(setting('brand'));
create macro brand_id() as id_of('profound brand', own_brand());
create macro competitor_id(name) as id_of('profound competitor', own_brand() || chr(10) || tidy(name));
create macro workspace_id() as
  coalesce(to_uuid(setting('workspace_id', '')), id_of('profound workspace', setting('workspace', 'Imported')));

create view every_answer as select unnest(data) as a from source.answers;

-- One region and one persona: the answers of several would be taken for repetitions of one prompt.
create view answer as
select a
from every_answer
where (setting('region', '') = '' or a.region = setting('region', ''))
  and (setting('persona', '') = '' or a.persona = setting('persona', ''));

create view workspaces as
select
  workspace_id() as id,
  setting('workspace', 'Imported') as name,
  time_of(setting('created_at', '1970-01-01')) as created_at;

create view brands as
select
  brand_id() as id,
  workspace_id() as workspace_id,
  own_brand() as name,
  setting('domain', '') as domain,
  time_of(setting('created_at', '1970-01-01')) as created_at;

create view competitors as
select distinct competitor_id(name) as id, brand_id() as brand_id, tidy(name) as name
from extra.names
where tidy(name) <> own_brand();

create view names as
select brand_id() as brand_id, null as competitor_id, own_brand() as name
union all
select
  brand_id(),
  case when tidy(name) <> own_brand() then competitor_id(name) end,
  unnest([name] || items_of(aliases, ';'))
from extra.names;

create view prompts as
select
  id_of('profound prompt', a.prompt_id) as id,
  brand_id() as brand_id,
  case
    when count(distinct (a.region, a.persona)) > 1
      then error('the answers have several regions or personas; choose with --set region=… and --set persona=…')
    else arg_max(tidy(a.prompt), (a.date, a.prompt))
  end as text,
  time_of(setting('created_at', '1970-01-01')) as created_at
from answer
group by all;

create view runs as
select
  id_of('profound run', a.run_id) as id,
  brand_id() as brand_id,
  id_of('profound prompt', a.prompt_id) as prompt_id,
  engine_of(a.model.name) as engine,
  time_of(a.date) as ran_at,
  case when is_blank(coalesce(a.response, '')) then 'no_answer' else 'success' end as status,
  -- In the order in which the answer names them.
  coalesce(a.mentions, []) as named,
  citations_of(a.citations) as citations,
  unknown_engine(a.model.name) as skip
from answer;

create view notes (note) as
values
  ('Sentiment is null and every citation is of the type other: Profound does not say it of a mention or a page.'),
  ('An answer without text counts as no answer.');
