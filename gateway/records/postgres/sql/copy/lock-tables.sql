-- No row; from here to the end of the transaction nobody else creates or changes a workspace or a key.
lock table sightline.plans, sightline.workspaces, sightline.keys in share row exclusive mode
