-- One row is what is wrong with a row of a file, or a row that is none of its table.
-- Needs problem_found.
insert into problem_found
select 'to mend', source_file, source_row, unnest(problems, max_depth := 2)
from read_parquet($staged)
union all
select 'left out', source_file, source_row, null, left_out, 'a row with nothing but its first cell, or a total'
from read_parquet($staged)
where left_out is not null
