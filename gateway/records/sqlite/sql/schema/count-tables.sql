-- One row is the number of tables and views in the file, and how many of them have the names of our tables.
select
  count(*) as "all",
  count(*) filter (where name in ('plans', 'workspaces', 'keys', 'key_uses', 'minute_counts')) as ours
from sqlite_schema
where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'
