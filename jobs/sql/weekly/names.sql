-- One row of `spelling` is a text by which somebody was named: its tidy form, numbered by code point, and what stands
-- for it when it is nobody's own (methodology, Stability).
create table spelling as
with
tidied as (
  select name, tidy(name) as entity, lower_case(tidy(name)) as folded
  from (select distinct name from naming)
),
final as (
  select
    name,
    entity,
    (dense_rank() over (order by entity))::integer as entity_no,
    (dense_rank() over (order by folded))::integer as folded_no
  from tidied
)
select * from final;

-- One row of `published_series` is an active prompt on an engine that answered it.
create table published_series as
select
  prompt.brand_no,
  prompt.prompt_no * 8 + observed.series_no % 8 as place,
  observed.series_no,
  observed.cycles
from observed
inner join asked on asked.asked_no = observed.series_no // 8
inner join brand on brand.id = asked.brand_id
inner join prompt on prompt.brand_no = brand.brand_no and prompt.id = asked.prompt_id
where prompt.is_active;

-- One row is a name in a published series, `who` it is (0 the brand, above a competitor, below its own text), and how
-- it was spelled most often, then smallest: the highest of entries * 2^31 - entity_no tells.
create table named as
with
entry as (
  select
    series.place,
    case
      when naming.subject = 'brand' then 0
      when competitor.competitor_no is not null then competitor.competitor_no
      else -spelling.folded_no
    end as who,
    spelling.entity_no,
    naming.era,
    naming.entries,
    naming.cycles
  from naming
  inner join published_series as series using (series_no)
  inner join spelling using (name)
  -- Only entries of competitors have an id, so the subject need not be asked: as a condition of the join it made it
  -- eight times as slow.
  left join competitor on competitor.brand_no = series.brand_no and competitor.id = naming.competitor_id
),
spelled as (
  select place, who, entity_no, sum(entries)::bigint as entries, {cycles_by_era}
  from entry
  group by place, who, entity_no
),
final as (
  select
    place,
    who,
    {cycle_count} as cycles,
    2147483647 - (max(entries * 2147483648 + (2147483647 - entity_no)) % 2147483648) as entity_no
  from spelled
  group by place, who
)
select * from final;
