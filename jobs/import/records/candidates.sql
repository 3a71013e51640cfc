-- One row is one name that the answers of a brand are searched for, the brand's own or a competitor's, with the longer names
-- of the same brand that contain it (NULL where there are none).
-- Needs given_names, given_runs, given_problems.
-- Makes searched_name, mentioned, candidate, placed.
create or replace temp table searched_name as
with
given as (
  select brand_id::uuid as brand_id, competitor_id::uuid as competitor_id, trim_white(name) as name
  from given_names
  where name is not null and not is_blank(name)
),
-- One owner for each name: the brand before competitors.
alias as (
  select
    brand_id,
    trim(folded(name)) as folded,
    arg_min(competitor_id, coalesce(competitor_id::varchar, '')) as competitor_id,
    bool_or(competitor_id is null) as is_brand,
    min(name) as name
  from given
  group by brand_id, trim(folded(name))
),
longer as (
  select short.brand_id, short.folded, list(long.folded order by length(long.folded) desc, long.folded) as longer
  from alias as short
  join alias as long
    on long.brand_id = short.brand_id and long.folded != short.folded and contains(long.folded, short.folded)
  group by short.brand_id, short.folded
)
select
  brand_id, case when not is_brand then competitor_id end as competitor_id, is_brand, name, folded, longer
from alias
left join longer using (brand_id, folded);

-- One row is one answer with what it mentions, by its id and the hash of its text or its list of names.
-- The texts are read and joined row by row: as lists in lambdas the same took fifty times as long.
create or replace temp table mentioned as
with
searched as (
  select id, brand_id, hash(answer, named) as content, folded(answer) as words
  from given_runs
  where skip is null and mentions is null and named is null and answer is not null and status = 'success'
),
found_in_text as (
  select
    id,
    content,
    is_brand,
    competitor_id,
    name,
    case when longer is null then word_at(words, folded) else word_at(without_words(words, longer), folded) end as place
  from searched
  join searched_name using (brand_id)
  where contains(words, folded)
),
listed as (
  select
    id,
    brand_id,
    hash(answer, named) as content,
    unnest(named) as name,
    generate_subscripts(named, 1) as place
  from given_runs
  where skip is null and mentions is null and named is not null and status = 'success'
),
found_in_list as (
  select id, content, coalesce(is_brand, false) as is_brand, competitor_id, listed.name, place
  from listed
  left join searched_name
    on searched_name.brand_id = listed.brand_id and searched_name.folded = trim(folded(listed.name))
  where not is_blank(listed.name)
),
-- A brand or competitor counts where it is named first; every other name on its own.
first_place as (
  select
    id,
    content,
    is_brand,
    competitor_id,
    min(case when place is not null then {'place': place, 'name': name} end) as first
  from (from found_in_text union all by name from found_in_list)
  group by
    id, content, is_brand, competitor_id, case when not is_brand and competitor_id is null then place else 0 end
)
select
  id,
  content,
  -- Sorted here, because list(… order by …) takes ten times as long.
  list_transform(
    list_sort(list({'first': first, 'is_brand': is_brand, 'competitor_id': competitor_id})),
    lambda mention, position: {
      'name': mention.first.name,
      'subject': case
        when mention.is_brand then 'brand'
        when mention.competitor_id is not null then 'competitor'
        else 'other'
      end,
      'competitor_id': mention.competitor_id,
      'position': position,
      'sentiment': null::varchar
    }
  ) as found
from first_place
where first is not null
group by id, content;

-- One row is one answer that the mapping gave: the run it makes, or in `reason` why it is skipped.
create or replace temp table candidate as
with
refused as (select source_file, source_row, min(why) as why from given_problems group by all),
given as (
  select
    given_runs.* exclude (answer, named, skip),
    hash(answer, named) as content,
    case when status = 'success' and answer is not null then sha256(answer) end as answer_sha256,
    refused.why is not null as is_reported,
    case
      when refused.why is not null then refused.why
      when skip is not null then skip
      when id is null then 'no id'
      when brand_id is null then 'no brand'
      when prompt_id is null then 'no prompt'
      when engine is null then 'engine is unknown'
      when ran_at is null then 'no time'
      when status is null then 'no status'
      else too_late(ran_at)
    end as reason
  from given_runs
  left join refused using (source_file, source_row)
)
select
  reason,
  is_reported,
  given.id,
  brand_id,
  prompt_id,
  engine,
  case when $is_weekly then monday_of(ran_at) else ran_at::date end as cycle_date,
  ran_at,
  status,
  model,
  answer_url,
  answer_sha256,
  case when status = 'success' then coalesce(mentions, found, []) else [] end as mentions,
  case
    when status = 'success' then list_filter(coalesce(citations, []), lambda citation: has_host(citation.url)) else []
  end as citations,
  -- What is left out of the citations, and where the answer is, for reports.
  case
    when status = 'success' and len(citations) > 0
      then list_filter(list_transform(citations, lambda citation: citation.url), lambda url: not has_host(url))
  end as unreadable,
  case when status <> 'success' then list_transform(citations, lambda citation: citation.url) end as unused,
  source_file,
  source_row,
  cell
from given
left join mentioned on mentioned.id = given.id and mentioned.content = given.content;

-- One row is one answer with its place among those of its prompt, engine and cycle: the first is the run, the one nearest to the
-- start of the cycle, and of several of one instant the one in the first row. `copy` is its place among those that say the same.
-- A failed run measured nothing, so it is kept only where the cycle has no other.
create or replace temp table placed as
with
given as (
  select
    * exclude (mentions, citations),
    rowid as candidate,
    -- DuckDB's own hash may change with its version; of two runs that differ in nothing else this chooses.
    md5_number(to_json({
      'status': status, 'model': model, 'url': answer_url, 'sha256': answer_sha256, 'mentions': mentions, 'citations': citations
    })) as content
  from candidate
  where reason is null
)
select
  candidate,
  row_number() over same as copy,
  row_number() over cycle as place,
  first_value({'source_file': source_file, 'source_row': source_row}) over cycle as first,
  first_value({'id': id, 'ran_at': ran_at}) over cycle = {'id': id, 'ran_at': ran_at} as is_at_once
from given
window
  cycle as (
    partition by prompt_id, engine, cycle_date
    order by status = 'failed', ran_at, id, source_file, source_row, content, candidate
  ),
  same as (
    partition by prompt_id, engine, cycle_date, id, content order by ran_at, source_file, source_row, candidate
  );
