-- One row is one id of a staged record that may have been delivered before: `cycle_date` is a cycle in which the lake has
-- a run whose id has the same hash, NULL if the id comes twice in this delivery. Two ids seldom share a hash; the records
-- themselves then show that they are two.
-- Needs staged_record, known_hash.
-- Makes repeated_id.
create or replace temp table repeated_id as
with
staged as (select id, run_hash(id) as hash, count(*) as times from staged_record group by id)
select id, null::date as cycle_date from staged where times > 1
union
select staged.id, known_hash.cycle_date from known_hash inner join staged using (hash);
