create view runs as select 1 as id;
