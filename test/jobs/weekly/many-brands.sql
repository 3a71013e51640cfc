-- Each table is a file of a drop of 150 brands in 15 workspaces: 8 prompts each on 8 engines, with evidence on every answer of
-- 6 weekly cycles.
create table number as select n::integer as n from range(150) as numbers (n);
create macro uuid_of(kind, n) as (kind || lpad(n::varchar, 7, '0') || '-0000-4000-8000-' || lpad((n * 7919)::varchar, 12, '0'))::uuid;
create table workspaces as
select distinct uuid_of('a', n % 15) as id, 'Workspace ' || n % 15 as name, '2026-01-05T09:30:00Z' as created_at from number;
create table brands as
select
  uuid_of('b', n) as id, uuid_of('a', n % 15) as workspace_id, 'Brand ' || n as name, n || '.example' as domain,
  '2026-01-05T09:30:00Z' as created_at
from number;
create table competitors as
select uuid_of('c', n * 3 + c) as id, uuid_of('b', n) as brand_id, 'Rival ' || c as name
from number, range(3) as rivals (c);
create table prompts as
select
  uuid_of('d', n * 8 + p) as id, uuid_of('b', n) as brand_id, 'Question ' || p as text, true as is_active,
  '2026-01-05T09:30:00Z' as created_at
from number, range(8) as questions (p);
create table events as
select
  uuid_of('e', n) as id, case when n % 3 > 0 then uuid_of('a', n % 15) end as workspace_id, '2026-11-02' as "date",
  'Event ' || n as text
from number;
create table runs as
select
  uuid_of('f', ((n * 8 + p) * 8 + e) * 6 + w) as id,
  uuid_of('b', n) as brand_id,
  uuid_of('d', n * 8 + p) as prompt_id,
  (['ai_mode', 'ai_overview', 'chatgpt', 'claude', 'deepseek', 'gemini', 'grok', 'perplexity'])[e + 1] as engine,
  (date '2026-10-12' + (7 * w)::integer)::varchar as cycle_date,
  (date '2026-10-12' + (7 * w)::integer)::varchar || 'T05:00:00Z' as ran_at,
  'success' as status,
  list_transform(range((n + p + e + w) % 5), lambda m: {
    'name': case m when 0 then 'Brand ' || n when 1 then 'Rival ' || p % 3 else 'Name ' || (m * n + p) % 40 end,
    'subject': case m when 0 then 'brand' when 1 then 'competitor' else 'other' end,
    'competitor_id': case when m = 1 then uuid_of('c', n * 3 + p % 3) end,
    'position': m + 1,
    'sentiment': 'neutral'
  }) as mentions,
  [{'url': 'https://site-' || (n + w) % 20 || '.example/', 'source_type': 'other'}] as citations,
  'model-' || w % 2 as model,
  'https://answers.example/' || n || '/' || p || '/' || e || '/' || w as answer_url,
  sha256(n || '-' || p || '-' || e || '-' || w) as answer_sha256
from number, range(8) as questions (p), range(8) as engines (e), range(6) as weeks (w);
