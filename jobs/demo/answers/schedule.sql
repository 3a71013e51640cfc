-- One row is one run: a prompt put to an engine in a week, and what became of it.
with engines (engine_number, engine) as (
  values
    (0, 'ai_mode'), (1, 'ai_overview'), (2, 'chatgpt'), (3, 'claude'),
    (4, 'deepseek'), (5, 'gemini'), (6, 'grok'), (7, 'perplexity')
),

runs as (
  select
    prompts.brand,
    prompts.prompt,
    engine_number,
    engine,
    demo_brand.fallen_engine,
    week,
    demo_draw(prompts.salt, engine_number * 10000 + week) as salt,
    -- Stays from week to week: some prompts are more the brand's than others.
    demo_die(prompts.salt, engine_number, 1000) as affinity
  from demo_prompt as prompts
  join demo_brand using (brand)
  cross join engines
  cross join range((select cycles from demo_options)) as weeks (week)
  where week >= prompts.first_week and week < prompts.end_week
),

final as (
  select
    runs.* exclude (fallen_engine),
    case
      when engine = fallen_engine then 'success'
      when brand = silent_brand and engine = 'ai_mode' then 'no_answer'
      when demo_die(runs.salt, 'failed', 1000) < 8 then 'failed'
      when engine = 'ai_overview' and demo_die(runs.salt, 'silent', 1000) < 140 then 'no_answer'
      when engine = 'ai_mode' and demo_die(runs.salt, 'silent', 1000) < 30 then 'no_answer'
      else 'success'
    end as status
  from runs
  cross join demo_options
)

select * from final
