-- One row is a brand in a published week, with a number of that week, from the files of the store in .data/store. It leaves out
-- what the log withdrew, and what it never published; of each week it takes the last publication. It compares no hashes.
with tiles as ( -- 256 entries each, as JSON after their lengths
  select
    256 * regexp_replace(regexp_extract(filename, 'tile/entries/([x/0-9]+)', 1), '[x/]', '', 'g')::int as "before",
    regexp_extract_all(replace(content::varchar, '\x22', '"'), '\{"kind":[^}]*\}') as texts
  from read_blob('.data/store/log/tile/entries/**')
), entries as (
  select distinct "before" + generate_subscripts(texts, 1) as number, unnest(texts)::json as entry
  from tiles
), signed as (
  select number, entry->>'kind' as kind, entry->>'workspaceId' as workspace_id, entry->>'snapshotId' as snapshot_id
  from entries
  where number <= (select split_part(content, chr(10), 2)::int from read_text('.data/store/log/checkpoint'))
), weeks as (
  select workspace_id, snapshot_id, strptime(snapshot_id[:8], '%Y%m%d')::date as as_of
  from signed
  where kind = 'published' and (workspace_id, snapshot_id) not in (
    select (workspace_id, snapshot_id) from signed where kind = 'withdrawn'
  )
  qualify row_number() over (partition by workspace_id, date_trunc('week', as_of) order by number desc) = 1
), tables as (
  select filename, list_transform(data.columns, lambda c: c.name) as names, unnest(data.rows) as cells
  from read_json(
    '.data/store/workspaces/*/snapshots/*/tables/brands.json',
    columns = {data: 'struct("columns" struct("name" varchar)[], "rows" json[][])'}, filename = true)
)
select
  as_of,
  cells[list_position(names, 'brand_name')]->>'$' as brand,
  (cells[list_position(names, 'overall_visibility')]->>'$')::double as visibility
from weeks join tables on contains(filename, workspace_id || '/snapshots/' || snapshot_id)
order by as_of, brand;
