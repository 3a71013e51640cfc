-- One row is the minute count of a workspace.
select * from minute_counts
