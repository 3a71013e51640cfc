-- One row is the updated last use of a key.
update keys set last_used_at = $1 where id = $2
