-- One row is one event, as it is delivered: in the last week a new model, five weeks before something of all engines.
with listed (number, engine, days_ago, text) as (
  values
    (0, null, 36, 'A buyer’s guide of a large magazine was published'),
    (1, 'changed', 1, 'A new model answers by default')
),

final as (
  select
    number,
    demo_uuid(demo_draw(salt, 'event ' || number)) as id,
    null::varchar as workspace_id,
    if(engine = 'changed', changed_engine, null) as engine,
    strftime(last_cycle - days_ago, '%Y-%m-%d') as date,
    text,
    'https://news.example/' || number as url
  from listed
  cross join demo_options
)

select * exclude (number) from final
order by number
