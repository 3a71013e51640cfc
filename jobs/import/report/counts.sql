-- The one row has the answers that were read, those that are skipped for what is wrong with them, those that are runs, and the
-- newest cycle; NULL without runs.
-- Needs candidate, placed.
select
  (select count(*) from candidate)::double as read,
  (select count(*) from candidate where reason is not null and not starts_with(reason, 'skipped on purpose: '))::double as skipped,
  (select count(*) from placed where place = 1)::double as kept,
  (select max(cycle_date)::varchar from candidate where reason is null) as "newestCycle"
