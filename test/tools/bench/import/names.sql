-- One row is one tracked name of a made-up spreadsheet: each brand with its aliases, and nine rivals.
select
  'Brand ' || b as brand,
  if(n = 0, 'Brand ' || b, 'Rival ' || n) as name,
  case n when 0 then 'Brand' || b || ' Inc;BR-' || b when 9 then 'Rival 9 Cloud' end as aliases,
  '' as domain
from range(200) as brands(b), range(0, 10) as names(n)
