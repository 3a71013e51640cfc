create table source.given (name varchar not null);
copy (select 1) to 'new.csv';
create view workspaces as select id_of('x', name) as id, name as name from source.given;
