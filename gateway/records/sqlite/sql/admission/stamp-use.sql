-- One row is the updated last use of a key.
update key_uses set last_used_at = ?1 where key = ?2
