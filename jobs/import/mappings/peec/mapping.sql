-- Peec's chats, customer API 1.0.0 (docs.peec.ai): GET /brands, GET /chats, and GET /chats/{id}/content of each, in files
-- whose names begin with brands, chats and contents.
-- What it does not contain: sentiment, positions among all names (only tracked brands have one), the kind of a cited page.
create table source.brands (
  data struct(id varchar, name varchar, is_own boolean, domains varchar[])[] not null
);
create table source.chats (data struct(id varchar, date varchar)[] not null);
create table source.contents (
  id varchar not null,
  prompt struct(id varchar) not null,
  model struct(id varchar) not null,
  sources struct(url varchar, citationCount bigint)[],
  brands_mentioned struct(id varchar, name varchar, "position" bigint)[],
  messages struct(role varchar, content varchar)[] not null
);

create macro workspace_id() as
  coalesce(to_uuid(setting('workspace_id', '')), id_of('peec workspace', setting('workspace', 'Imported')));

create view brand as select distinct unnest(data, recursive := true) from source.brands;
create view chat as
select id, min(date) as date from (select unnest(data, recursive := true) from source.chats) group by id;

-- Runs belong to one brand: the only own one, or that of --set brand.
create view own as
select
  case
    when count(distinct id) = 1 then min(id)
    else error('--set brand=… must name one of your own brands: ' || coalesce(string_agg(name, ', ' order by name), '(none)'))
  end as id
from brand
where is_own and (setting('brand', '') = '' or name = setting('brand', ''));

create view workspaces as
select
  workspace_id() as id,
  setting('workspace', 'Imported') as name,
  time_of(setting('created_at', '1970-01-01')) as created_at;

create view brands as
select
  id_of('peec brand', id) as id,
  workspace_id() as workspace_id,
  tidy(name) as name,
  coalesce(domains[1], '') as domain,
  time_of(setting('created_at', '1970-01-01')) as created_at
from brand
semi join own using (id);

create view competitors as
select id_of('peec brand', brand.id) as id, id_of('peec brand', own.id) as brand_id, tidy(name) as name
from brand, own
where brand.id <> own.id;

create macro message(messages, sender) as
  list_filter(messages, lambda message: message.role = sender)[1].content;

create view prompts as
select
  id_of('peec prompt', prompt.id) as id,
  id_of('peec brand', own.id) as brand_id,
  max(tidy(message(messages, 'user'))) as text,
  time_of(setting('created_at', '1970-01-01')) as created_at
from source.contents, own
group by all;

-- What a model of an API answers is not what a surface shows: only scrapers stand for engines (--engine adds others).
create macro engine_of_model(model) as coalesce(
  engine_of(model),
  map {
    'chatgpt-scraper': 'chatgpt',
    'perplexity-scraper': 'perplexity',
    'google-ai-overview-scraper': 'ai_overview',
    'google-ai-mode-scraper': 'ai_mode',
    'gemini-scraper': 'gemini',
    'grok-scraper': 'grok'
  }[model]
);

create view runs as
select
  id_of('peec chat', content.id) as id,
  id_of('peec brand', own.id) as brand_id,
  id_of('peec prompt', content.prompt.id) as prompt_id,
  engine_of_model(content.model.id) as engine,
  time_of(chat.date) as ran_at,
  -- Where a surface served nothing, the chat has a placeholder for an answer.
  case
    when coalesce(trim_white(message(messages, 'assistant')), '') in ('', 'No response.') then 'no_answer'
    else 'success'
  end as status,
  list_transform(
    list_sort(list_transform(brands_mentioned, lambda m: {'place': m.position, 'id': m.id, 'name': m.name})),
    lambda m, place: {
      'name': m.name,
      'subject': if(m.id = own.id, 'brand', 'competitor'),
      'competitor_id': case when m.id <> own.id then id_of('peec brand', m.id) end,
      'position': place,
      'sentiment': null
    }
  ) as mentions,
  -- A source with a count of 0 was read by the engine, not cited.
  citations_of(list_transform(
    list_filter(sources, lambda source: source.citationCount > 0), lambda source: source.url
  )) as citations,
  case
    when chat.date is null then 'no date: the chat is in no chats file'
    when engine_of_model(content.model.id) is null then unknown_engine(content.model.id)
  end as skip
from source.contents as content
left join chat on chat.id = content.id
cross join own;

create view notes (note) as
values
  ('Positions are those among the brands that are tracked in Peec.'),
  ('Sentiment is null and every citation is of the type other: chats do not say.');
