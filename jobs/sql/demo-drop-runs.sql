-- One row is one run of a week, as it is delivered.
with ranked as (
  select
    runs.*,
    row_number() over (
      partition by brand, engine_number
      order by status <> 'success', affinity + demo_die(salt, 'mood', 300) desc, prompt
    ) as rank
  from demo_schedule as runs
  where week = $week
),

picked as (
  select
    ranked.*,
    weights,
    list_filter(range(len(weights)), lambda place:
      if(place = 0, rank <= named, demo_die(salt, place, 1000) < weights[place + 1])
    ) as places
  from ranked
  join demo_visibility using (brand, engine_number, week)
  join demo_weight using (prompt, engine_number)
),

-- Those that are named often are named early. A key carries its place in the last two digits.
arranged as (
  select
    picked.* exclude (places, weights),
    list_sort(list_transform(places, lambda place:
      (1000 - weights[place + 1] + demo_die(salt, place + 100, 500)) * 100 + place
    )) as keys
  from picked
),

final as (
  select
    arranged.brand,
    arranged.prompt,
    engine_number,
    demo_uuid(arranged.salt) as id,
    demo_prompt.brand_id,
    demo_prompt.id as prompt_id,
    engine,
    strftime(last_cycle - to_days(7 * (cycles - 1 - week)), '%Y-%m-%d') as cycle_date,
    -- Within five hours from midnight on, and never after the as-of instant.
    demo_instant(
      last_cycle - to_days(7 * (cycles - 1 - week))
      + to_milliseconds(
        demo_draw(arranged.salt, 'ran at')::hugeint
        % (least(epoch_ms(as_of) - epoch_ms(last_cycle::timestamp), 18000000) + 1)
      )
    ) as ran_at,
    status,
    if(status <> 'success', [], list_transform(keys, lambda key, position:
      {
        name: candidates[key % 100 + 1].spellings[
          [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4][demo_die(arranged.salt, key, 20) + 1]
        ],
        subject: candidates[key % 100 + 1].subject,
        competitor_id: candidates[key % 100 + 1].id,
        position: position,
        sentiment: [
          'positive', 'positive', 'positive', 'neutral', 'neutral', 'neutral', 'neutral', 'negative', null
        ][demo_die(arranged.salt, key + 1, 9) + 1]
      }
    )) as mentions,
    if(status <> 'success' or engine not in ('perplexity', 'ai_overview', 'ai_mode'), [],
      list_transform(range(1 + demo_die(arranged.salt, 'citations', 6)), lambda number:
        {
          url: sites[
            demo_die(arranged.salt, number + 200, len(sites)) * demo_die(arranged.salt, number + 300, len(sites))
            // len(sites) + 1
          ].prefix || demo_die(arranged.salt, number + 400, 60),
          source_type: if(demo_die(arranged.salt, number + 500, 25) = 0, 'other', sites[
            demo_die(arranged.salt, number + 200, len(sites)) * demo_die(arranged.salt, number + 300, len(sites))
            // len(sites) + 1
          ].source_type)
        }
      )
    ) as citations
  from arranged
  join demo_prompt using (prompt)
  join demo_panel on demo_panel.brand = arranged.brand
  cross join demo_options
)

select * exclude (brand, prompt, engine_number) from final
order by brand, prompt, engine_number
