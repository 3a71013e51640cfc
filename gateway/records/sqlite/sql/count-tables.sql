-- One row is the number of tables, views and indexes in the file, and how many of them are our tables.
select
  count(*) as "all",
  count(*) filter (where name in ('workspaces', 'keys', 'minute_counts')) as ours
from sqlite_schema
