-- One row is the key that this statement revokes; no row if it was revoked before.
update keys set revoked_at = ?1 where prefix = ?2 and revoked_at is null returning id
