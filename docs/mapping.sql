-- Answers of an imaginary tracker: one JSON object per line.
create table source.answers (
  run varchar not null,
  question varchar not null,
  model varchar not null,
  asked varchar not null,
  text varchar,
  links varchar[]
);

create view workspaces as select id_of('mine', 'workspace') as id, 'Acme' as name;

create view brands as
select id_of('mine', 'brand') as id, id_of('mine', 'workspace') as workspace_id, 'Acme' as name, 'acme.example' as domain;

create view competitors as
select id_of('mine', 'Globex') as id, id_of('mine', 'brand') as brand_id, 'Globex' as name;

create view prompts as
select distinct id_of('mine', question) as id, id_of('mine', 'brand') as brand_id, question as text from source.answers;

create view runs as
select
  id_of('mine run', run) as id,
  id_of('mine', 'brand') as brand_id,
  id_of('mine', question) as prompt_id,
  engine_of(model) as engine,
  time_of(asked) as ran_at,
  text as answer,
  citations_of(links) as citations,
  unknown_engine(model) as skip,
  source_file,
  source_row
from source.answers;
