-- One row is one workspace, as it is delivered.
-- Needs demo_workspace, demo_brand, demo_rival, demo_prompt, demo_options.
-- Makes workspaces, brands, competitors, prompts, events.
create view workspaces as
select id, name, demo_instant(created_at) as created_at
from demo_workspace
order by workspace;

-- One row is one brand, as it is delivered.
create view brands as
select id, workspace_id, name, domain, demo_instant(created_at) as created_at
from demo_brand
order by brand;

-- One row is one tracked competitor, as it is delivered.
create view competitors as
select demo_rival.id, demo_brand.id as brand_id, demo_name(demo_rival.company) as name
from demo_rival
join demo_brand using (brand)
where is_competitor
order by brand, number;

-- One row is one prompt, as it is delivered.
create view prompts as
select id, brand_id, text, is_active, demo_instant(created_at) as created_at, tags
from demo_prompt
order by prompt;

-- One row is one event, as it is delivered: in the last week a new model, five weeks before something of all engines.
create view events as
select
  demo_uuid(demo_draw(salt, 'event ' || number)) as id,
  null::varchar as workspace_id,
  if(is_change, changed_engine, null) as engine,
  strftime(last_cycle - days_ago, '%Y-%m-%d') as date,
  text,
  'https://news.example/' || number as url
from (
  values
    (0, false, 36, 'A buyer’s guide of a large magazine was published'),
    (1, true, 1, 'A new model answers by default')
) as listed (number, is_change, days_ago, text)
cross join demo_options
order by number;
