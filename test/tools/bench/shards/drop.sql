-- Workspaces of ten brands, their prompts, and a run of each prompt on eight engines in two cycles, with four mentions.
create macro id_of(kind, n) as md5(kind || n)::uuid;

insert into staged_workspaces by name
select id_of('w', n) as id, 'Workspace ' || n as name, timestamp '2026-01-01' as created_at
from range($brands::bigint // 10) as numbers (n);

insert into staged_brands by name
select
  id_of('b', n) as id,
  id_of('w', n // 10) as workspace_id,
  'Brand ' || n as name,
  'https://brand-' || n || '.example/' as domain,
  timestamp '2026-01-01' as created_at
from range($brands::bigint) as numbers (n);

insert into staged_prompts by name
select
  id_of('p', n) as id,
  id_of('b', n // $prompts::bigint) as brand_id,
  'Which of the tools for task ' || n || ' is best?' as text,
  true as is_active,
  timestamp '2026-01-01' as created_at
from range($brands::bigint * $prompts::bigint) as numbers (n);

insert into staged_runs by name
select
  id_of('r', cycle_date::varchar || engine || n) as id,
  id_of('b', n // $prompts::bigint) as brand_id,
  id_of('p', n) as prompt_id,
  engine,
  cycle_date,
  cycle_date + interval 8 hour + to_milliseconds(hash(n, engine) % 3600000) as ran_at,
  'success' as status,
  list_transform(range(4), lambda m: {
    'name': 'Tool ' || hash(n // $prompts::bigint, engine, m) % 1000,
    'subject': 'other',
    'competitor_id': null::uuid,
    'position': m + 1,
    'sentiment': 'neutral'
  }) as mentions,
  [] as citations
from range($brands::bigint * $prompts::bigint) as numbers (n)
cross join unnest([date '2026-11-09', date '2026-11-16']) as cycles (cycle_date)
cross join unnest(['chatgpt', 'claude', 'gemini', 'perplexity', 'grok', 'ai_mode', 'deepseek', 'ai_overview'])
  as engines (engine);
