-- One row is the new last use of a key, inserted because admission only updates.
insert into key_uses (key, last_used_at) values (?1, null)
