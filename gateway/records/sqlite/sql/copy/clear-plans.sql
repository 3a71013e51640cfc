-- One row is a removed default plan; the copied plans replace them.
delete from plans returning name
