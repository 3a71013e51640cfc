create table source.given (name varchar not null);
create view runs as select 1 as id;
