-- One row is a removed default plan; the copied plans replace them.
delete from sightline.plans returning name
