-- One row is the last use of the key that is used now.
update key_uses set last_used_at = ?1 where key = ?2
