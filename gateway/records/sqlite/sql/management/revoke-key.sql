-- One row is the key that is revoked by this; none where it was revoked before.
update keys set revoked_at = ?1 where prefix = ?2 and revoked_at is null returning id
