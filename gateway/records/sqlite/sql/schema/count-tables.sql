-- One row: how many tables and views the file holds, and how many of them have the names of ours.
select
  count(*) as "all",
  count(*) filter (where name in ('plans', 'workspaces', 'keys', 'key_uses', 'minute_counts')) as ours
from sqlite_schema
where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'
