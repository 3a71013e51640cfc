-- One row is the number of tables and views in the file, and how many of them are ours.
select
  count(*) as "all",
  count(*) filter (
    where name in ('workspaces', 'minute_counts') or (name = 'keys' and sql like '%last\_used\_at%' escape '\')
  ) as ours
from sqlite_schema
where type in ('table', 'view') and name not like 'sqlite\_%' escape '\'
