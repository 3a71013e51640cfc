-- One row is a cycle to reduce. Its `bits` have one for each cycle that the result stands for, and only its own is set.
select
  cycle_date::date as cycle_date,
  set_bit(bitstring('0', $cycle_count::integer), place::integer, 1) as bits
from (select unnest($dates) as cycle_date, unnest($places) as place)
