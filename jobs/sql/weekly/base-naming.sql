-- One row is a spelling by which somebody was named in a series of the base: mention entries, and the cycles as a set
-- of bits, cut in two because Parquet has no HUGEINT.
select
  series_no,
  subject::varchar as subject,
  competitor_id,
  name,
  era,
  entries,
  (cycles & ((1::hugeint << 60) - 1))::bigint as cycles_low,
  (cycles >> 60)::bigint as cycles_high
from naming
