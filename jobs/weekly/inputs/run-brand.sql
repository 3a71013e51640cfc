-- One row is a brand on an engine in an object of runs that the snapshot may be made from: its place there, and how many of
-- its runs are there. `is_open`: the object has runs after the snapshot.
-- Needs listed_brand, run_object.
select run_object.cycle_date, run_object.is_open, listed_brand.*
from listed_brand
inner join run_object using (object)
