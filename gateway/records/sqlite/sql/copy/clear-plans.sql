-- One row is a plan that made room for those that are copied.
delete from plans returning name
