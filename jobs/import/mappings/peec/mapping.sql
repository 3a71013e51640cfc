-- Peec's chats, customer API 1.0.0 (docs.peec.ai, with model channels): GET /brands, GET /chats, and GET /chats/{id}/content
-- of each, in files whose names begin with brands, chats and contents.
-- What it does not contain: sentiment, positions among all names (only tracked brands have one), the kind of a cited page.
create table source.brands (
  data struct(id varchar, name varchar, is_own boolean, domains varchar[])[] not null
);
create table source.chats (data struct(id varchar, date varchar)[] not null, totalCount bigint);
create table source.contents (
  id varchar not null,
  prompt struct(id varchar) not null,
  model struct(id varchar),
  model_channel struct(id varchar),
  sources struct(url varchar, citationCount bigint)[],
  brands_mentioned struct(id varchar, name varchar, "position" bigint)[],
  messages struct(role varchar, content varchar)[] not null
);

-- Optional: GET /model-channels (a chat may have a channel and no model), GET /prompts and GET /tags.
create table extra.channels (data struct(id varchar, current_model struct(id varchar))[] not null);
create table extra.prompts (data struct(id varchar, tags struct(id varchar)[])[] not null);
create table extra.tags (data struct(id varchar, name varchar)[] not null);

create view brand as select distinct unnest(data, recursive := true) from source.brands;
create view chat as
select id, min(date) as date from (select unnest(data, recursive := true) from source.chats) group by id;

create view missing as
select 'chats that are listed and have no content: GET /chats/{id}/content' as reason, count(*) as answers
from chat
anti join source.contents using (id)
union all
select 'chats: there are fewer than totalCount says', greatest(0, max(totalCount) - (select count(*) from chat)) from source.chats
having count(totalCount) > 0
union all
-- Pages have up to 1,000 chats, or up to 10,000 if one asks for them.
select 'every page of chats is full, and none has a totalCount: the next page may be missing', null
from source.chats
having count(totalCount) = 0 and min(len(data)) = max(len(data)) and max(len(data)) in (1000, 10000);

-- Runs belong to one brand: the only own one, or that of --set brand.
create view own as
select
  case
    when count(distinct id) = 1 then min(id)
    else error('--set brand=… must name one of your own brands: ' || coalesce(string_agg(name, ', ' order by name), '(none)'))
  end as id
from brand
where is_own and (setting('brand', '') = '' or name = setting('brand', ''));

create view workspaces as select workspace_of('peec') as id, setting('workspace', 'Imported') as name;

create view brands as
select
  id_of('peec brand', id) as id,
  workspace_of('peec') as workspace_id,
  tidy(name) as name,
  coalesce(domains[1], '') as domain
from brand
semi join own using (id);

create view competitors as
select id_of('peec brand', brand.id) as id, id_of('peec brand', own.id) as brand_id, tidy(name) as name
from brand, own
where brand.id <> own.id;

create view listed as select list(distinct id) as ids from brand;

create macro message(messages, sender) as
  list_filter(messages, lambda message: message.role = sender)[1].content;

create view tagged as
select p.id, list(tag.name order by tag.name) as tags
from (select p.id, unnest(p.tags).id as tag_id from (select unnest(data) as p from extra.prompts))
  as p
join (select distinct unnest(data, recursive := true) from extra.tags) as tag on tag.id = tag_id
group by p.id;

create view prompts as
select
  id_of('peec prompt', prompt.id) as id,
  id_of('peec brand', own.id) as brand_id,
  max(tidy(message(messages, 'user'))) as text,
  any_value(tagged.tags) as tags
from source.contents
cross join own
left join tagged on tagged.id = prompt.id
group by prompt.id, own.id;

-- What a model of an API answers is not what a surface shows: only scrapers stand for engines (--engine adds others).
create macro model_names() as map {
  'chatgpt-scraper': 'chatgpt',
  'perplexity-scraper': 'perplexity',
  'google-ai-overview-scraper': 'ai_overview',
  'google-ai-mode-scraper': 'ai_mode',
  'gemini-scraper': 'gemini',
  'grok-scraper': 'grok'
};

-- A chat without a model has that of its channel: by the list of channels, or by --engine CHANNEL=ENGINE.
create view content as
select
  chat_content.*,
  coalesce(model.id, case when getvariable('engines')[model_channel.id] is null then current_model.id end, model_channel.id)
    as model_name
from source.contents as chat_content
left join (select distinct unnest(data, max_depth := 2) from extra.channels) as channel on channel.id = model_channel.id;

create view runs as
select
  id_of('peec chat', content.id) as id,
  id_of('peec brand', own.id) as brand_id,
  id_of('peec prompt', content.prompt.id) as prompt_id,
  engine_of(model_name, model_names()) as engine,
  time_of(chat.date) as ran_at,
  -- Where a surface served nothing, the chat has a placeholder for an answer.
  case
    when coalesce(trim_white(message(messages, 'assistant')), '') in ('', 'No response.') then 'no_answer'
    else 'success'
  end as status,
  message(messages, 'assistant') as answer,
  -- The name of a scraper is that of a surface, not of the model behind it.
  case when not contains(content.model.id, 'scraper') then content.model.id end as model,
  list_transform(
    list_sort(list_transform(brands_mentioned, lambda m: {'place': m.position, 'id': m.id, 'name': m.name})),
    lambda m, place: {
      'name': m.name,
      'subject': case when m.id = own.id then 'brand' when list_contains(ids, m.id) then 'competitor' else 'other' end,
      'competitor_id': case when m.id <> own.id and list_contains(ids, m.id) then id_of('peec brand', m.id) end,
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
    else unknown_engine(model_name, model_names())
  end as skip,
  source_file,
  'chat ' || content.id as cell
from content
left join chat on chat.id = content.id
cross join own
cross join listed;

create view notes (note) as
select 'Positions are those among the brands that are tracked in Peec.'
union all
select 'Sentiment is null and every citation is of the type other: chats do not say.'
union all
select
  'These brands are in no file of brands, and count as other names: ' || string_agg(distinct m.name, ', ' order by m.name)
from (select unnest(brands_mentioned) as m from source.contents), listed
where not list_contains(ids, m.id)
having count(*) > 0;
