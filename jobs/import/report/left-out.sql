-- One row is a row of a file that is no row of its table, or what was left out of an answer or of the names.
select 'a row with nothing but its first cell, or a total' as reason, source_file, source_row, left_out as cell
from staged
where left_out is not null
union all
select 'a citation without a readable host', source_file, source_row, concat_ws(': ', cell, unnest(unreadable))
from candidate
where len(unreadable) > 0
union all
select 'a name of several: it counts for the brand, or else for one of the competitors', null, null, min(name)
from given_names
where not is_blank(name)
group by brand_id, trim(folded(name))
having count(distinct coalesce(competitor_id, brand_id)) > 1
