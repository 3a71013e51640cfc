-- One row is a brand in the scope that was outside of it when some stored fact was made: it came from another
-- workspace.
select distinct score.brand_id::varchar as id
from score
semi join reduced_brand on reduced_brand.id = score.brand_id
where score.engine is null
order by id
