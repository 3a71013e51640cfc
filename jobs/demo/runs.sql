-- One row is one run of a week, as it is delivered, of the brands numbered from $from to before $until.
-- Needs demo_schedule, demo_visibility, demo_weight, demo_name, demo_cite, demo_prompt, demo_week, demo_options.
with
ranked as (
  select
    runs.*,
    row_number() over (
      partition by brand, engine_number
      order by status != 'success', affinity + demo_die(salt, 'mood', 300) desc, prompt
    ) as rank
  from demo_schedule as runs
  where week = $week and brand >= $from and brand < $until
),
-- Where the brand or a rival is named: 100 x its rank + its place in the panel. Those that are named often are named early.
-- (A lambda copies each list that it uses, other than its own, for every element; so none does.)
arranged as (
  select
    ranked.*,
    list_sort(list_filter(
      list_transform(weights, lambda weight, place:
        if(
          if(place = 1, rank <= named, demo_die(salt, place, 1000) < weight),
          (1000 - weight + demo_die(salt, place + 100, 500)) * 100 + place,
          null
        )
      ),
      lambda key: key is not null
    )) as keys
  from ranked
  join demo_visibility using (brand, engine_number, week)
  join demo_weight using (prompt, engine_number)
),
entries as (
  select
    brand,
    prompt,
    engine_number,
    salt,
    unnest(keys) % 100 as place,
    generate_subscripts(keys, 1) as position
  from arranged
  where status = 'success'
),
mentions as (
  select
    entries.prompt,
    entries.engine_number,
    list({
      name: names.name,
      subject: names.subject,
      competitor_id: names.competitor_id,
      position: entries.position,
      sentiment: [
        'positive', 'positive', 'positive', 'neutral', 'neutral', 'neutral', 'neutral', 'negative', null
      ][demo_die(entries.salt, entries.place + 300, 9) + 1]
    } order by entries.position) as mentions
  from entries
  join demo_name as names
    on names.brand = entries.brand
    and names.place = entries.place
    and names.spelling = (
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4][demo_die(entries.salt, entries.place + 200, 20) + 1]
    )
  group by entries.prompt, entries.engine_number
),
citings as (
  select
    ranked.brand,
    prompt,
    engine_number,
    salt,
    sites,
    unnest(range(1 + demo_die(salt, 'citations', 6))) as number
  from ranked
  join (select brand, sites from demo_cite where place = 0) using (brand)
  where status = 'success' and engine in ('perplexity', 'ai_overview', 'ai_mode')
),
citations as (
  select
    citings.prompt,
    citings.engine_number,
    list({
      url: cites.prefix || demo_die(citings.salt, citings.number + 600, 60),
      source_type: if(demo_die(citings.salt, citings.number + 700, 25) = 0, 'other', cites.source_type)
    } order by citings.number) as citations
  from citings
  join demo_cite as cites
    on cites.brand = citings.brand
    -- The product of two dice prefers the sites that come first.
    and cites.place = (
      demo_die(citings.salt, citings.number + 400, citings.sites)
      * demo_die(citings.salt, citings.number + 500, citings.sites) // citings.sites
    )
  group by citings.prompt, citings.engine_number
)
select
  demo_uuid(ranked.salt) as id,
  demo_prompt.brand_id,
  demo_prompt.id as prompt_id,
  engine,
  strftime(monday, '%Y-%m-%d') as cycle_date,
  -- Within five hours from midnight on, and never after the as-of instant.
  demo_instant(
    monday
    + to_milliseconds(
      demo_draw(ranked.salt, 'ran at')::hugeint
      % (least(epoch_ms(as_of) - epoch_ms(last_cycle::timestamp), 18000000) + 1)
    )
  ) as ran_at,
  status,
  replace(engine, '_', '-') || if(engine = changed_engine and week = cycles - 1, '-2', '-1') as model,
  -- Only these engines have answers with an address that can be shared.
  if(
    status = 'success' and engine in ('perplexity', 'ai_mode', 'ai_overview'),
    'https://answers.example/' || demo_uuid(ranked.salt),
    null
  ) as answer_url,
  coalesce(mentions, []) as mentions,
  coalesce(citations, []) as citations
from ranked
join demo_prompt using (prompt)
left join mentions using (prompt, engine_number)
left join citations using (prompt, engine_number)
join demo_week using (week)
cross join demo_options
order by ranked.prompt, ranked.engine_number
