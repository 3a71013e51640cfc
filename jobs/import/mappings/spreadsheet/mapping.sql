-- A spreadsheet with one row per answer, as CSV or as a workbook: the template of docs/importing.md.
-- What it does not contain: sentiment, and the kind of a cited page.
create table source.answers (
  brand varchar not null,
  prompt varchar not null,
  engine varchar not null,
  ran_at varchar not null,
  answer varchar,
  named varchar,
  citations varchar,
  status varchar,
  model varchar,
  answer_url varchar,
  tags varchar
);

-- Optional: the names that answers are searched for. A row whose name is the brand's own holds its aliases and domain.
create table extra.names (brand varchar not null, name varchar not null, aliases varchar, domain varchar);

create macro brand_id(key) as id_of('spreadsheet brand', setting('workspace', 'Imported') || chr(10) || key);

-- One row is one spelling of a prompt. Spellings that differ in case, blanks or Unicode form only have one key.
create table question as
select
  brand,
  prompt,
  key_of(brand) as brand_key,
  key_of(prompt) as prompt_key,
  count(*) as answers,
  flatten(list(distinct items_of(tags))) as tags,
  brand_id(key_of(brand)) as brand_id,
  id_of('spreadsheet prompt', brand_id(key_of(brand))::varchar || chr(10) || key_of(prompt)) as prompt_id
from source.answers
group by brand, prompt;

-- One row is one name of names.csv.
create table tracked_name as
select
  *,
  key_of(brand) as brand_key,
  brand_id(key_of(brand)) as brand_id,
  case
    when key_of(name) <> key_of(brand)
      then id_of('spreadsheet competitor', brand_id(key_of(brand))::varchar || chr(10) || key_of(name))
  end as competitor_id
from extra.names;

create table spelling as
select 'brand' as what, brand_key as key, brand as written, sum(answers) as answers from question group by all
union all
select 'brand', brand_key, brand, 0 from tracked_name
union all
select 'prompt', brand_key || chr(10) || prompt_key, prompt, sum(answers) from question group by all
union all
select 'name', brand_key || chr(10) || key_of(name), name, 0 from tracked_name;

create view workspaces as select workspace_of('spreadsheet') as id, setting('workspace', 'Imported') as name;

create view brands as
select
  brand_id(key) as id,
  workspace_of('spreadsheet') as workspace_id,
  arg_min(tidy(written), (-spelling.answers, tidy(written))) as name,
  coalesce(any_value(domain), '') as domain
from spelling
left join (
  select brand_key, min(domain) as domain from tracked_name where competitor_id is null group by brand_key
) on brand_key = key
where what = 'brand'
group by key;

create view competitors as
select competitor_id as id, brand_id, arg_min(tidy(name), (source_file, source_row)) as name
from tracked_name
where competitor_id is not null
group by all;

create view names as
select brand_id, competitor_id, unnest([name] || items_of(aliases)) as name from tracked_name
union all
select distinct brand_id, null, brand from question;

create view prompts as
select
  prompt_id as id,
  brand_id,
  arg_min(tidy(prompt), (-answers, tidy(prompt))) as text,
  list_sort(list_distinct(flatten(list(tags)))) as tags
from question
group by all;

create macro status_of(status, answer, named) as coalesce(
  lower(trim_white(status)), case when answer is null and named is null then 'no_answer' else 'success' end
);

-- One row is one cell that is wrong. An answer in its row is skipped.
create view problems as
with
cell as (
  select
    source_file,
    source_row,
    unnest([
      {'column': 'engine', 'value': engine, 'why': unknown_engine(engine)},
      {
        'column': 'ran_at',
        'value': ran_at,
        'why': case
          when time_of(ran_at, setting('dates', '')) is null
            then 'ran_at is neither a date (2026-11-16) nor an instant (2026-11-16T08:00:00Z); --set dates=DD/MM/YYYY reads others'
          else 'ran_at: ' || too_late(time_of(ran_at, setting('dates', '')))
        end
      },
      {
        'column': 'status',
        'value': status,
        'why': case
          when status_of(status, answer, named) not in ('success', 'no_answer', 'failed')
            then 'status is none of success, no_answer and failed'
        end
      },
      {
        'column': 'answer_url',
        'value': answer_url,
        'why': case when not (is_url(answer_url) and contains(answer_url, '://')) then 'answer_url is no http or https URL' end
      }
    ] || list_transform(
      list_filter(urls_of(citations), lambda url: not is_url(url))[:1],
      lambda url: {
        'column': 'citations', 'value': url, 'why': 'citations has an entry that is no URL; separate URLs by blanks'
      }
    ), max_depth := 2)
  from source.answers
  where unknown_engine(engine) is null or not starts_with(unknown_engine(engine), 'skipped on purpose: ')
)
-- A cell that is missing is reported as that.
select * from cell where why is not null and "value" is not null
union all by name
select source_file, source_row, 'brand' as "column", brand as "value", 'no answer has this brand; is “' || near || '” meant?' as why
from (
  select
    source_file,
    source_row,
    brand,
    (
      select arg_min(tidy(question.brand), (damerau_levenshtein(tracked_name.brand_key, question.brand_key), question.brand))
      from question
      where is_misspelling(tracked_name.brand_key, question.brand_key)
    ) as near
  from tracked_name
  where brand_key not in (select brand_key from question where brand_key is not null)
)
where near is not null;

create view runs as
select
  id_of('spreadsheet answer', prompt_id::varchar || chr(10) || engine_of(engine) || chr(10) || time_of(ran_at, setting('dates', ''))) as id,
  brand_id,
  prompt_id,
  engine_of(engine) as engine,
  time_of(ran_at, setting('dates', '')) as ran_at,
  status_of(status, answer, named) as status,
  case when named is not null then items_of(named) end as named,
  answer,
  case when citations is not null then citations_of(urls_of(citations)) end as citations,
  tidy(model) as model,
  answer_url,
  unknown_engine(engine) as skip,
  source_file,
  source_row
from source.answers
join question using (brand, prompt);

create macro list_of_three(texts) as
  array_to_string(list_transform(texts[:3], lambda text: '“' || text || '”'), ', ') || case when len(texts) > 3 then ' …' else '' end;

create view notes (note) as
select
  case
    when not exists (from extra.names)
      then 'There is no names.csv: answers were searched for the brands'' own names only, and no competitor is tracked.'
    else 'Where the column named is empty, mentions were found in the text of the answers, by the names of names.csv.'
  end
union all
select 'Sentiment is null and every citation is of the type other: the spreadsheet does not say.'
union all
select
  'The texts of ' || count(*) || ' answers were not searched, because their status is not success: '
  || list_of_three(list(distinct status order by status))
from source.answers
where answer is not null and status_of(status, answer, named) in ('no_answer', 'failed')
having count(*) > 0
union all
select
  'One ' || what || ', by spellings that differ in case, blanks or Unicode form only: ' || list_of_three(list(distinct written order by written))
from spelling
group by what, key
having count(distinct written) > 1
union all
select
  what || ': commas separate values in ' || count(*) || ' cells without a semicolon, such as '
  || list_of_three(list(distinct cell order by cell)) || '; a cell that ends with ; is one value.'
from (
  select unnest([
    {'what': 'named', 'cell': named}, {'what': 'tags', 'cell': tags}
  ], recursive := true) from source.answers
  union all
  select 'aliases', aliases from extra.names
)
where contains(cell, ',') and not contains(cell, ';')
group by what;
