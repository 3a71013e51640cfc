-- One row of `asked` is a prompt that was asked for a brand, with a number that stands for the two: the base's, or one
-- above. With an engine it makes a series, numbered asked_no * 8 + the engine's place. `unreduced` are the runs that
-- no fact stands for.
create table asked as
with
seen as (
  select brand_id, prompt_id from unreduced
  union
  select brand_id, prompt_id from fact_asking
),
added as (
  select * from seen
  anti join base_asked using (brand_id, prompt_id)
)
select asked_no, brand_id, prompt_id
from base_asked
union all
select
  ((select coalesce(max(asked_no), 0) from base_asked) + row_number() over ())::integer as asked_no,
  brand_id,
  prompt_id
from added;

create view unreduced_run as
select
  asked.asked_no * 8 + enum_code(run.engine::engine_slug) as series_no,
  cycle.cycle_no,
  run.status,
  run.mentions
from unreduced as run
inner join asked using (brand_id, prompt_id)
inner join cycle using (cycle_date);

-- One row of `asking` is a series in a cycle since the base: its runs, whether one was answered and named the brand.
create table asking as
select
  series_no,
  cycle_no,
  count(*)::integer as runs,
  bool_or(status = 'success') as is_answered,
  bool_or(status = 'success' and list_contains(list_transform(mentions, lambda m: m.subject), 'brand')) as is_named
from unreduced_run
group by series_no, cycle_no
union all
select
  asked.asked_no * 8 + enum_code(fact.engine::engine_slug) as series_no,
  cycle.cycle_no,
  fact.runs,
  fact.is_answered,
  fact.is_named
from fact_asking as fact
inner join asked using (brand_id, prompt_id)
inner join cycle using (cycle_date);

-- One row of `observed` is a series that was answered, and in how many cycles.
create table observed as
with
counted as (
  select series_no, cycles from base_observed
  union all
  select series_no, 1 as cycles from asking where is_answered
)
select series_no, sum(cycles)::integer as cycles
from counted
group by series_no;

-- One row of `score` is a brand on an engine in a cycle: its runs, prompts answered and prompts that named it.
create table score as
select brand_id, engine::engine_slug as engine, cycle_date, runs, answered, named
from base_scores
union all
select
  asked.brand_id,
  enum_range(null::engine_slug)[asking.series_no % 8 + 1]::engine_slug as engine,
  cycle.cycle_date,
  sum(asking.runs)::integer as runs,
  (count(*) filter (where asking.is_answered))::integer as answered,
  (count(*) filter (where asking.is_named))::integer as named
from asking
inner join asked on asked.asked_no = asking.series_no // 8
inner join cycle using (cycle_no)
group by all;

-- One row of `naming` is a spelling by which somebody was named in a series: mention entries, and the cycles as a set
-- of bits. A HUGEINT holds 120 of them with room to spare; longer histories have a row for each such era.
create table naming as
with
mention as (
  select series_no, cycle_no, unnest(mentions) as entry
  from unreduced_run
  where status = 'success'
),
combined as (
  select
    series_no,
    subject::mention_subject as subject,
    competitor_id,
    name,
    era,
    entries,
    (cycles_high::hugeint << 60) | cycles_low as cycles
  from base_naming
  union all
  select
    asked.asked_no * 8 + enum_code(fact.engine::engine_slug) as series_no,
    fact.subject::mention_subject as subject,
    fact.competitor_id,
    fact.name,
    cycle.cycle_no // 120 as era,
    fact.entries,
    1::hugeint << (cycle.cycle_no % 120) as cycles
  from fact_naming as fact
  inner join asked using (brand_id, prompt_id)
  inner join cycle using (cycle_date)
  union all
  select
    series_no,
    entry.subject::mention_subject as subject,
    entry.competitor_id,
    entry.name,
    cycle_no // 120 as era,
    1 as entries,
    1::hugeint << (cycle_no % 120) as cycles
  from mention
)
select series_no, subject, competitor_id, name, era, sum(entries)::integer as entries, bit_or(cycles) as cycles
from combined
group by all;
