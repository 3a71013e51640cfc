-- One row is one prompt on one engine: how many of a thousand answers name each candidate of the brand's panel, in its
-- order. (The brand's own is for its position only: visibility.sql says where it is named.) An engine's few
-- favourites, some that come and go, and about half of the others never.
with panels as (
  select brand, list_prepend(0, list(strength order by number)) as strengths
  from demo_rival
  group by brand
),

pairs as (
  select
    prompts.prompt,
    engine_number::integer as engine_number,
    demo_draw(prompts.salt, 'engine ' || engine_number) as salt,
    panels.strengths
  from demo_prompt as prompts
  join panels using (brand)
  cross join range(8) as engines (engine_number)
),

final as (
  select
    prompt,
    engine_number,
    list_transform(strengths, lambda strength, place:
      case
        when place = 1 then 600
        when strength > 0 then least(greatest(strength + demo_die(salt, place, 400) - 200, 20), 950)
        when demo_die(salt, place, 100) < 45 then 0
        else 80 + demo_die(salt, place + 100, 300)
      end::smallint
    ) as weights
  from pairs
)

select * from final
order by prompt, engine_number
