-- One row is one reason why records are not imported, with the number of records and the places of the first three as JSON.
with
numbered as (
  select
    reason,
    source_file,
    source_row,
    cell,
    count(*) over (partition by reason) as records,
    row_number() over (partition by reason order by source_file, source_row, cell) as place
  from given_refusals
)
select
  reason,
  any_value(records)::double as records,
  to_json(coalesce(
    list(
      concat_ws(' row ', source_file, source_row)
      || case when cell is null then '' else case when source_file is null then '' else ': ' end || left(cell, 80) end
      order by place
    ) filter (where source_file is not null or cell is not null),
    []
  ))::varchar as first
from numbered
where place <= 3
group by reason
order by records desc, reason
