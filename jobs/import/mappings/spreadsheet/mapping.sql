-- A spreadsheet with one row per answer, saved as CSV: the template of docs/importing.md.
-- What it does not contain: sentiment, and the kind of a cited page.
create table source.answers (
  brand varchar not null,
  prompt varchar not null,
  engine varchar not null,
  ran_at varchar not null,
  answer varchar,
  named varchar,
  citations varchar,
  status varchar
);

-- Optional: the names that answers are searched for. A row whose name is the brand's own holds its aliases and domain.
create table extra.names (brand varchar not null, name varchar not null, aliases varchar, domain varchar);

create macro brand_id(brand) as id_of('spreadsheet brand', setting('workspace', 'Imported') || chr(10) || tidy(brand));
create macro competitor_id(brand, name) as id_of('spreadsheet competitor', brand_id(brand)::varchar || chr(10) || tidy(name));
create macro prompt_id(brand, prompt) as id_of('spreadsheet prompt', brand_id(brand)::varchar || chr(10) || tidy(prompt));
create macro workspace_id() as
  coalesce(to_uuid(setting('workspace_id', '')), id_of('spreadsheet workspace', setting('workspace', 'Imported')));

create view workspaces as
select workspace_id() as id, setting('workspace', 'Imported') as name, time_of(setting('created_at', '1970-01-01')) as created_at;

create view brands as
select
  brand_id(brand) as id,
  workspace_id() as workspace_id,
  min(tidy(brand)) as name,
  coalesce(min(domain), '') as domain,
  time_of(setting('created_at', '1970-01-01')) as created_at
from (
  select distinct brand, null as domain from source.answers
  union all
  select brand, domain from extra.names where tidy(name) = tidy(brand)
)
group by brand_id(brand);

create view competitors as
select distinct competitor_id(brand, name) as id, brand_id(brand) as brand_id, tidy(name) as name
from extra.names
where tidy(name) <> tidy(brand);

create view names as
select
  brand_id(brand) as brand_id,
  case when tidy(name) <> tidy(brand) then competitor_id(brand, name) end as competitor_id,
  unnest([name] || items_of(aliases, ';')) as name
from extra.names
union all
select distinct brand_id(brand), null, brand from source.answers;

create view prompts as
select distinct
  prompt_id(brand, prompt) as id,
  brand_id(brand) as brand_id,
  tidy(prompt) as text,
  true as is_active,
  time_of(setting('created_at', '1970-01-01')) as created_at
from source.answers;

create view runs as
select
  id_of('spreadsheet answer', prompt_id(brand, prompt)::varchar || chr(10) || engine_of(engine) || chr(10) || time_of(ran_at)) as id,
  brand_id(brand) as brand_id,
  prompt_id(brand, prompt) as prompt_id,
  engine_of(engine) as engine,
  time_of(ran_at) as ran_at,
  coalesce(status, case when is_blank(coalesce(answer, '')) and named is null then 'no_answer' else 'success' end) as status,
  case when named is not null then items_of(named, ';') end as named,
  answer,
  citations_of(items_of(citations, ' ')) as citations,
  coalesce(
    unknown_engine(engine),
    case when time_of(ran_at) is null then 'ran_at is neither a date (2026-11-16) nor an instant (2026-11-16T08:00:00Z)' end
  ) as skip
from source.answers;

create view notes (note) as
values
  ('Where the column "named" is empty, mentions were found in the text of the answers, by the names of names.csv.'),
  ('Sentiment is null and every citation is of the type other: the spreadsheet does not say.');
