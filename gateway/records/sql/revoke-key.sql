-- One row is the key that this statement revokes; no row if it is unknown or was revoked before.
update sightline.keys set revoked_at = now() where prefix = $1 and revoked_at is null returning id
