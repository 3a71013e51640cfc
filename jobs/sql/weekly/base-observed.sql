-- One row is a series of the base that was answered, and in how many cycles.
select series_no, cycles from observed
