-- One row is the last use of a key, which admission only updates.
insert into key_uses (key, last_used_at) values (?1, null)
