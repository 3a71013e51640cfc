-- One row is one refused record that is kept: the first $kept of each file and reason. The records of a batch are of one
-- file, with some 32 MiB of text; the base64 of lines that are not UTF-8 comes on top.
-- Needs reject.
with
kept as (
  select file, line, strlen(record) as bytes
  from reject
  qualify row_number() over (partition by file, reason order by line) <= $kept
),
numbered as (
  select file, line, sum(bytes) over (partition by file order by line) // 33554432 as part from kept
)
select file, line, dense_rank() over (order by file, part) as batch from numbered
