-- One row is the copied last use of a key, cut to milliseconds.
insert into key_uses (key, last_used_at)
select value ->> 'id', (value ->> 'lastUsedAt') / 1000
from json_each(?1)
returning key
