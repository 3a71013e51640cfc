-- One row is a key with all columns.
select * from keys
