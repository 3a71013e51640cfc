-- No row; until the end of the transaction no other process creates or changes a workspace or a key.
lock table sightline.plans, sightline.workspaces, sightline.keys in share row exclusive mode
