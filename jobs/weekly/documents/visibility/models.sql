-- One row is a model, tidied, that answered for a brand on an engine in the engine's latest score or in the one before.
-- Needs engine_score, model.
-- Feeds perEngine[].models[], perEngine[].modelsChanged.
select distinct
  engine_score.brand_no as "brandNo",
  engine_score.engine::varchar as slug,
  engine_score.place_in_engine = 1 as "isLatest",
  tidy(model.model) as model
from engine_score
inner join model
  on
    model.brand_no = engine_score.brand_no
    and model.engine = engine_score.engine
    and model.cycle_date = engine_score.cycle_date
where engine_score.place_in_engine <= 2 and tidy(model.model) != ''
order by "brandNo", slug, "isLatest", model
