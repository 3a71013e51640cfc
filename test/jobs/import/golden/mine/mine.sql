-- A mapping of one's own: one prompt is one text with what a helper makes of it.
create table source.texts (
  helper varchar not null, given varchar, name varchar, share double, items struct(url varchar)[]
);

create view workspaces as select id_of('mine', 'all') as id, 'Mine' as name;
create view brands as select id_of('mine', 'Acme') as id, id_of('mine', 'all') as workspace_id, 'Acme' as name;
create view prompts as
  select
    id_of('mine', concat(helper, given, name)) as id,
    id_of('mine', 'Acme') as brand_id,
    concat_ws(' ', helper, given, name, share, items[2].url) || ' is ' || coalesce(
      case helper
        when 'id_of' then id_of('x', given)::varchar
        when 'uuid5' then uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', given)::varchar
        when 'monday_of' then monday_of(time_of(given))::varchar
        when 'time_of' then time_of(given)::varchar
        when 'time_of D/M/YY HH:mm' then time_of(given, 'D/M/YY HH:mm')::varchar
        when 'engine_of' then engine_of(given)
        when 'number_of' then number_of(given)::varchar
        when 'word_at' then word_at(folded(given), trim(folded(name)))::varchar
      end,
      'null'
    ) as text
  from source.texts;
create view runs as
  select id, brand_id, id as prompt_id, 'grok' as engine, time_of('2026-11-16') as ran_at, text as answer
  from prompts;
