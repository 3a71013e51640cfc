-- One row is one reason, with the number of records that it concerns (NULL where nobody knows) and the first three places: file,
-- row, and what the cell has.
-- Needs problem_found, answers_missing.
with
found as (
  select
    kind,
    why as reason,
    count(*)::double as records,
    min({'file': file, 'row': "row", 'value': "value"}, 3) filter (where file is not null or "value" is not null) as places
  from problem_found
  group by all
  union all
  select 'missing'::finding_kind, reason, case when count(*) = count(answers) then sum(answers)::double end, null
  from answers_missing
  where answers is null or answers > 0
  group by reason
)
select
  kind::varchar as kind,
  reason,
  records,
  list_transform(
    coalesce(places, []),
    lambda place: concat_ws(
      ': ',
      nullif(concat_ws(' row ', place.file, place."row"), ''),
      case when not ends_with(reason, place."value") then left(place."value", 80) end
    )
  ) as first
from found
order by found.kind, records desc, reason
