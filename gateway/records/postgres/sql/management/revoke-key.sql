-- One row is the key that this statement revokes; no row if it was revoked before.
update sightline.keys set revoked_at = now() where prefix = $1::text and revoked_at is null returning id
