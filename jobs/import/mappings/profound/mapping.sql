-- Profound's answers, version 2 (POST /v2/prompts/answers, docs.tryprofound.com, June 2026), one page a file or a line.
-- What it does not contain: sentiment of a mention, the kind of a cited page, the model behind a surface, whether a surface
-- served no answer (an empty response counts as none), the time of day (its days are those of New York).
create table source.answers (
  info struct(total_results bigint, next_cursor varchar, start_date varchar, end_date varchar, filter json),
  data struct(
    run_id varchar, date varchar, model struct(name varchar), region varchar, persona varchar, tags json[], prompt varchar,
    prompt_id varchar, response varchar, mentions varchar[], citations varchar[]
  )[] not null
);

-- Optional: rivals and aliases. A row whose name is that of --set brand holds the brand's aliases.
create table extra.names (name varchar not null, aliases varchar);

create macro own_brand() as tidy(setting('brand'));
create macro brand_id() as id_of('profound brand', own_brand());
create macro competitor_id(name) as id_of('profound competitor', own_brand() || chr(10) || key_of(name));
create macro is_own(name) as key_of(name) = key_of(own_brand());

create view every_answer as select unnest(data) as a, source_file, source_row from source.answers;

-- One region and one persona: the answers of several would be taken for repetitions of one prompt.
create macro is_asked(a) as
  coalesce(setting('region', '') in ('', a.region) and setting('persona', '') in ('', a.persona), false);
create view answer as select * from every_answer where is_asked(a);

-- One row is one query whose pages were fetched. The API gives ten rows a page unless one asks for more.
create view query as
select
  info.start_date || ' to ' || info.end_date as dates,
  max(info.total_results) as total,
  -- (Not unnested: a last page may have no rows.)
  len(list_distinct(flatten(list(list_transform(data, lambda a: a.run_id))))) as answers,
  bool_or(info.next_cursor is null) as has_end
from source.answers
where info is not null
group by info.start_date, info.end_date, info.filter::varchar;

create view missing as
select 'total_results of the pages of ' || coalesce(dates, 'one query') || ' is ' || total || ', and they have ' || answers as reason, total - answers as answers
from query
where total > answers
union all
select 'the pages of ' || coalesce(dates, 'one query') || ' have no end: each has a next_cursor', null
from query
where not has_end and coalesce(total <= answers, true)
union all
select 'a page has no info: nothing says whether the export is whole', null from source.answers where info is null;

create view workspaces as select workspace_of('profound') as id, setting('workspace', 'Imported') as name;

create view brands as
select
  brand_id() as id,
  workspace_of('profound') as workspace_id,
  own_brand() as name,
  setting('domain', '') as domain;

create view competitors as
select competitor_id(name) as id, brand_id() as brand_id, arg_min(tidy(name), (source_file, source_row)) as name
from extra.names
where not is_own(name)
group by competitor_id(name);

create view names as
select brand_id() as brand_id, null as competitor_id, own_brand() as name
union all
select
  brand_id(),
  case when not is_own(name) then competitor_id(name) end,
  unnest([name] || items_of(aliases))
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
  -- A tag is its name, or an object with one.
  list_sort(list_distinct(flatten(list(list_transform(
    a.tags, lambda tag: coalesce(json_extract_string(tag, '$.name'), json_extract_string(tag, '$'))
  ))))) as tags
from answer
group by a.prompt_id;

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
  a.response as answer,
  citations_of(a.citations) as citations,
  unknown_engine(a.model.name) as skip,
  source_file,
  'run_id ' || a.run_id as cell
from answer;

create view notes (note) as
select 'Sentiment is null and every citation is of the type other: Profound does not say it of a mention or a page.'
union all
select 'An answer without text counts as no answer.'
union all
select count(*) || ' answers of another region or persona were left out, as --set asks.'
from every_answer
where not is_asked(a)
having count(*) > 0;
