-- One row is the copied last use of a key.
insert into sightline.key_uses (key, last_used_at)
select id, timestamptz 'epoch' + "lastUsedAt" * interval '1 microsecond'
from jsonb_to_recordset($1::text::jsonb) as source (id integer, "lastUsedAt" float8)
returning key
